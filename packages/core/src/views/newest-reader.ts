/**
 * The newest rows of a journal that no other engine changes, for the commit writer. No commit is in flight when it reads,
 * so rows in memory are the newest. It keeps rows of buckets and their owners, which most commands need; others are read once, and then
 * replaced.
 */
import type { RowRange, RowReader } from '../ports/index.ts'
import { absentRow, type HotRows } from './hot-rows.ts'
import type { DecodedReader } from './row-reader.ts'
import { isMostlyAbsent, isOfBucket } from './tables.ts'

export class NewestReader implements DecodedReader {
  readonly #journal: RowReader
  readonly #hot: HotRows

  constructor(journal: RowReader, hot: HotRows) {
    this.#journal = journal
    this.#hot = hot
  }

  async row<R>(key: Uint8Array, decode: (frame: Uint8Array) => R): Promise<R | undefined> {
    const isKept = isOfBucket(key)
    const state = this.#hot.settled
    const hot = isKept ? this.#hot.find(key, state) : undefined
    if (hot !== undefined) return hot === absentRow ? undefined : (hot as R)
    const frame = await this.#journal.get(key)
    if (frame === undefined) {
      if (isKept && isMostlyAbsent(key)) this.#hot.keep(key, absentRow, 0, state)
      return undefined
    }
    const row = decode(frame)
    if (isKept) this.#hot.keep(key, row as object, frame.length, state)
    return row
  }

  get(key: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#journal.get(key)
  }

  getMany(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    return this.#journal.getMany(keys)
  }

  cursor(range: RowRange): ReturnType<RowReader['cursor']> {
    return this.#journal.cursor(range)
  }
}
