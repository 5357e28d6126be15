/** What is verified: the ports of a store that is open, or of one that does not open. */
import type { BlobId, BlobStore, RowReader, Seq, Witness } from '../ports/index.ts'
import type { StorePorts } from '../engine/store-ports.ts'

/** Blobs are only looked at. */
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
  /** Blobs that a write under way has yet to name. */
  isInFlight(id: BlobId): boolean
}
