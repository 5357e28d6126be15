/** A replica as a copy that damaged bytes of a store are taken from: finds them by the ids of their blobs, without a restore. */
import type { BlobHandle, BlobId, Copy, Seq, SideRowKind, SoughtBlob, StoredEvent } from '../ports/index.ts'
import { lookAgain } from './looks.ts'
import { isPassing } from './replica-corrupt.ts'
import { type ReplicaPorts, ReplicaReader } from './replica-reader.ts'
import { readReplicaState } from './replica-state.ts'

/** Looks at the files of the replica when something is first wanted of them, and again when they do not have it. */
export class ReplicaCopy implements Copy {
  readonly name: string
  readonly #ports: ReplicaPorts
  #reader: Promise<ReplicaReader> | undefined

  constructor(name: string, ports: ReplicaPorts) {
    this.name = name
    this.#ports = ports
  }

  /** @throws StorageError `BlobMissing`, `BlobFailed` */
  open(id: BlobId): Promise<BlobHandle> {
    return this.#ports.blobs.open(id)
  }

  /** @throws StorageError `ReplicaCorrupt`, `UnsupportedFormat`, `BlobFailed` */
  sideRow(kind: SideRowKind, { id, seq }: SoughtBlob): Promise<Uint8Array | undefined> {
    return this.#lookup(async (reader) => {
      const [row] = seq === undefined ? [] : await reader.sideRows(kind, [{ id, seq }])
      return row ?? reader.findRow(kind, id)
    })
  }

  /** The event at a position. @throws StorageError `ReplicaCorrupt`, `UnsupportedFormat`, `BlobFailed` */
  event(seq: Seq): Promise<StoredEvent | undefined> {
    return this.#lookup(async (reader) => {
      for await (const stored of reader.journal.events({ from: seq, to: seq })) return stored
      return undefined
    })
  }

  /** What is known of the files may be old: their writer adds, joins and deletes them. */
  async #lookup<T>(ask: (reader: ReplicaReader) => Promise<T | undefined>): Promise<T | undefined> {
    if (this.#reader !== undefined) {
      const found = await this.#reader.then(ask).catch(ignorePassing)
      if (found !== undefined) return found
    }
    return lookAgain(async () => {
      const reading = readReplicaState(this.#ports).then((state) => new ReplicaReader(this.#ports, state))
      this.#reader = reading
      // One that could not be read is read again.
      reading.catch(() => (this.#reader = undefined))
      return ask(await reading)
    })
  }
}

function ignorePassing(error: unknown): undefined {
  if (isPassing(error)) return undefined
  throw error
}
