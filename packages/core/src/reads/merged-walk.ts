/** A walk over two tables at once, in the order of their keys without the first byte. */
import { compareBytes } from '../bytes/bytes.ts'
import type { KeyedRow } from '../views/row-reader.ts'
import type { Walk } from './row-walk.ts'

/** A row, and which of the two walks it is from. */
export interface MergedRow<R> extends KeyedRow<R> {
  readonly from: 0 | 1
}

type Pair<T> = readonly [T, T]

export class MergedWalk<R> {
  readonly #walks: Pair<Walk<KeyedRow<R>>>
  /** The next row of each walk; `null` if it was not read yet. */
  readonly #held: [KeyedRow<R> | undefined | null, KeyedRow<R> | undefined | null] = [null, null]

  constructor(walks: Pair<Walk<KeyedRow<R>>>) {
    this.#walks = walks
  }

  async next(): Promise<MergedRow<R> | undefined> {
    const [first, second] = [await this.#peek(0), await this.#peek(1)]
    const from = isBefore(first, second) ? 0 : 1
    const found = from === 0 ? first : second
    this.#held[from] = null
    return found && { ...found, from }
  }

  /** Goes forward to one place in each table. A row that was peeked at stays if it is not before the place. */
  skipTo(places: Pair<Uint8Array>): void {
    for (const i of [0, 1] as const) {
      const held = this.#held[i]
      const place = places[i]
      // The walk has ended, or would not return the held row again.
      if (held === undefined || (held !== null && compareBytes(held.key, place) >= 0)) continue
      this.#walks[i].skipTo(place)
      this.#held[i] = null
    }
  }

  async close(): Promise<void> {
    for (const walk of this.#walks) await walk.close()
  }

  #peek(i: 0 | 1): Promise<KeyedRow<R> | undefined> | KeyedRow<R> | undefined {
    const held = this.#held[i]
    return held === null ? this.#read(i) : held
  }

  async #read(i: 0 | 1): Promise<KeyedRow<R> | undefined> {
    return (this.#held[i] = await this.#walks[i].next())
  }
}

function isBefore(first: KeyedRow<unknown> | undefined, second: KeyedRow<unknown> | undefined): boolean {
  if (first === undefined) return false
  return second === undefined || compareBytes(first.key.subarray(1), second.key.subarray(1)) < 0
}
