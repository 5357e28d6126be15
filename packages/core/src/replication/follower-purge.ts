/**
 * Ends erasures on purpose in a store that follows: its rows and blobs go with the events that say so, and here also what its files
 * still have of their bytes.
 */
import { purgeBytes } from '../jobs/purge-bytes.ts'
import type { BlobStore, Hashing, Journal, Seq } from '../ports/index.ts'
import { sideRowKeys } from '../views/side-row-key.ts'
import { blobsIn, type ErasedBytes, ErasureScan, rowsIn } from '../events/erasure-scan.ts'

export interface PurgedStore {
  readonly journal: Pick<Journal, 'events' | 'purge'>
  readonly blobs: Pick<BlobStore, 'delete' | 'purge'>
  readonly hashing: Hashing
}

/** Behind its end, a log that is opened again may have erasures that a crash cut off: so many events are looked at. */
const lookedBack = 10_000

export class FollowerPurge {
  readonly #store: PurgedStore
  #scan: ErasureScan | undefined
  /** Reads in progress kept them in the files. */
  #owed: readonly ErasedBytes[] = []

  constructor(store: PurgedStore) {
    this.#store = store
  }

  /** Purges what the log has erased up to an event, as far as no read in progress needs older rows. @throws what the ports throw */
  async upTo(to: Seq): Promise<void> {
    const scan = (this.#scan ??= await this.#begin(to))
    for (let before = -1; before < scan.position && scan.position < to; ) {
      before = scan.position
      this.#owed = [...this.#owed, ...(await scan.next({ to, requested: true, unseen: false }))]
    }
    if (this.#owed.length === 0) return
    const keys = rowsIn(this.#owed).flatMap(sideRowKeys)
    if (await purgeBytes(this.#store, blobsIn(this.#owed), keys)) this.#owed = []
  }

  /** A crash may have come between a commit that erases blobs and their deletion. */
  async #begin(to: Seq): Promise<ErasureScan> {
    const from = Math.max(0, to - lookedBack)
    const scan = new ErasureScan(this.#store, from)
    while (scan.position < to) {
      const blobs = blobsIn(await scan.next({ to }))
      if (blobs.length > 0) await this.#store.blobs.delete(blobs)
    }
    return new ErasureScan(this.#store, from)
  }
}
