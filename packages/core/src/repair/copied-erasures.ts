/** Drops from a copy what its log says is erased: a replica may still have the bytes, and a store had them when they were copied. */
import type { RecordedEvent } from '../events/index.ts'
import type { Hashing, RowChange, Seq } from '../ports/index.ts'
import { blobsIn, ErasureScan, rowsIn } from '../events/erasure-scan.ts'
import { sideRowKeys } from '../views/side-row-key.ts'
import type { CopiedParts } from './log-source.ts'

/** Behind its end, a copy that goes on may have erasures that a crash cut off: so many events are looked at. */
const lookedBack = 4000

export class CopiedErasures {
  readonly #into: CopiedParts
  readonly #hashing: Hashing
  /** What was copied up to here and is erased is dropped. */
  #position: Seq
  #isResumed: boolean

  constructor(into: CopiedParts, hashing: Hashing, head: Seq) {
    this.#into = into
    this.#hashing = hashing
    this.#position = Math.max(0, head - lookedBack)
    this.#isResumed = head > 0
  }

  /** The page has the last events up to `to`, which the copy has. */
  async dropUpTo(to: Seq, page: readonly { readonly event: RecordedEvent }[]): Promise<void> {
    if (this.#isResumed || page.some(({ event }) => event.type === 'ContentsErased')) await this.#drop(to)
    this.#position = to
    this.#isResumed = false
  }

  async #drop(to: Seq): Promise<void> {
    const { journal, blobs } = this.#into
    const scan = new ErasureScan({ journal, hashing: this.#hashing }, this.#position)
    while (scan.position < to) {
      const erased = await scan.next({ to })
      const stored = blobsIn(erased)
      const keys = rowsIn(erased).flatMap(sideRowKeys)
      if (keys.length > 0)
        await journal.commit({ events: [], rows: keys.map((key): RowChange => ({ key, value: null })) })
      if (stored.length > 0) await blobs.delete(stored)
    }
  }
}
