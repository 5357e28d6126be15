/**
 * The newest rows of a journal that no other engine changes, for the commit writer. No commit is in flight when it reads,
 * so rows in memory are the newest. It keeps rows of buckets and their owners, which most commands need; others are read once, and then
 * replaced.
 */
import { type Soon, whenThere } from '../base/soon.ts'
import type { RowRange, RowReader } from '../ports/index.ts'
import { absentRow, type CommitNumber, type HotRows } from './hot-rows.ts'
import type { DecodedReader } from './row-reader.ts'
import { isMostlyAbsent, isOfBucket } from './tables.ts'

export class NewestReader implements DecodedReader {
  readonly #journal: RowReader
  readonly #hot: HotRows

  constructor(journal: RowReader, hot: HotRows) {
    this.#journal = journal
    this.#hot = hot
  }

  row<R>(key: Uint8Array, decode: (frame: Uint8Array) => R): Soon<R | undefined> {
    if (!isOfBucket(key)) {
      return whenThere(this.#journal.get(key), (frame) => (frame === undefined ? undefined : decode(frame)))
    }
    const state = this.#hot.settled
    const hot = this.#hot.find(key, state)
    if (hot !== undefined) return hot === absentRow ? undefined : (hot as R)
    return whenThere(this.#journal.get(key), (frame) => {
      if (frame !== undefined) return this.#kept(key, decode(frame), frame.length, state)
      if (isMostlyAbsent(key)) this.#hot.keep(key, absentRow, 0, state)
      return undefined
    })
  }

  get(key: Uint8Array): Soon<Uint8Array | undefined> {
    return this.#journal.get(key)
  }

  getMany(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    return this.#journal.getMany(keys)
  }

  cursor(range: RowRange): ReturnType<RowReader['cursor']> {
    return this.#journal.cursor(range)
  }

  #kept<R>(key: Uint8Array, row: R, frameBytes: number, state: CommitNumber): R {
    this.#hot.keep(key, row as object, frameBytes, state)
    return row
  }
}
