/** The store that is verified: an open one, or the ports of one that does not open. */
import type { Heal } from '../content/damaged-bytes.ts'
import type { VersionedReducer } from '../keyspaces/reducer.ts'
import type { BlobId, BlobStore, RowReader, Seq, Witness } from '../ports/index.ts'
import type { StorePorts } from '../engine/store-ports.ts'

/** Blobs are only read. */
export interface ExaminedPorts extends Pick<StorePorts, 'journal' | 'hashing'> {
  readonly blobs: Pick<BlobStore, 'open' | 'list'>
  readonly witness?: Pick<Witness, 'read'>
}

export interface Subject {
  readonly ports: ExaminedPorts
  /** The last position of the log. */
  readonly end: Seq
  /** One committed state of the rows. */
  readonly rows: RowReader
  /** The reducers of keyspaces that this process registered, by name. */
  readonly reducers?: ReadonlyMap<string, VersionedReducer>
  /** Heals damaged bytes. Absent: damage is only found. */
  readonly heal?: Heal | undefined
  /** Whether the blob belongs to a write in progress, which no commit names yet. */
  isInFlight(id: BlobId): boolean | Promise<boolean>
}
