/** One state of the rows for one read: hot rows come from memory, others from a snapshot that is taken when needed. */
import type { RowCursor, RowRange, RowReader, RowSnapshot } from '../ports/index.ts'
import type { HotRows } from './hot-rows.ts'
import type { DecodedReader } from './row-reader.ts'

export class HotReader implements DecodedReader {
  readonly #hot: HotRows
  readonly #open: () => RowSnapshot
  readonly #spend: (rows: number) => void
  #state: number
  #snapshot: RowSnapshot | undefined
  /** Keys of the hot rows that were returned before the snapshot was taken. */
  readonly #given: Uint8Array[] = []
  #torn = false

  /** `spend` is called with the number of rows that each read requests. */
  constructor(hot: HotRows, open: () => RowSnapshot, spend: (rows: number) => void = () => undefined) {
    this.#hot = hot
    this.#open = open
    this.#spend = spend
    this.#state = hot.settled
  }

  /** True if returned rows may differ from those of the snapshot. Results of this read must then be discarded. */
  get torn(): boolean {
    return this.#torn
  }

  /** Takes the snapshot now, so that the read cannot be torn. */
  pin(): this {
    this.#pinned()
    return this
  }

  async row<R>(key: Uint8Array, decode: (frame: Uint8Array) => R): Promise<R | undefined> {
    this.#spend(1)
    const hot = this.#hot.find(key, this.#state)
    if (hot !== undefined) {
      if (this.#snapshot === undefined) this.#given.push(key)
      return hot as R
    }
    const frame = await this.#pinned().get(key)
    if (frame === undefined) return undefined
    const row = decode(frame)
    this.#hot.keep(key, row as object, frame.length, this.#state)
    return row
  }

  get(key: Uint8Array): Promise<Uint8Array | undefined> {
    this.#spend(1)
    return this.#pinned().get(key)
  }

  getMany(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    this.#spend(keys.length)
    return this.#pinned().getMany(keys)
  }

  cursor(range: RowRange): RowCursor {
    const cursor = this.#pinned().cursor(range)
    return {
      next: (count) => {
        this.#spend(count)
        return cursor.next(count)
      },
      seek: (key) => cursor.seek(key),
      close: () => cursor.close(),
    }
  }

  async close(): Promise<void> {
    await this.#snapshot?.close()
  }

  #pinned(): RowReader {
    if (this.#snapshot !== undefined) return this.#snapshot
    // Read the state first: a commit that settles between the two lines is in the snapshot but must not count for the
    // state.
    const state = this.#hot.settled
    const snapshot = this.#open()
    this.#torn =
      this.#hot.isForgottenSince(this.#state) || this.#given.some((key) => this.#hot.isTouchedSince(key, this.#state))
    this.#snapshot = snapshot
    this.#state = state
    return snapshot
  }
}
