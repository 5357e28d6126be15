/** A walk over two tables at once, in the order of their keys without the first byte. */
import { compareBytes } from '../bytes/bytes.ts'
import type { KeyedRow } from '../views/row-reader.ts'
import type { Walk } from './row-walk.ts'

type Pair<T> = readonly [T, T]
type Found<R> = KeyedRow<R> | undefined

export class MergedWalk<R> {
  readonly #walks: Pair<Walk<KeyedRow<R>>>
  /** The next row of each walk; `null` if it was not read yet. */
  readonly #held: [Found<R> | null, Found<R> | null] = [null, null]

  constructor(walks: Pair<Walk<KeyedRow<R>>>) {
    this.#walks = walks
  }

  /** Without a promise, like the walks, where no row has to be read. */
  next(): Promise<Found<R>> | Found<R> {
    for (const i of [0, 1] as const) {
      if (this.#held[i] !== null) continue
      const found = this.#walks[i].next()
      if (found instanceof Promise) return this.#nextAfter(i, found)
      this.#held[i] = found
    }
    return this.#take()
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

  async #nextAfter(i: 0 | 1, reading: Promise<Found<R>>): Promise<Found<R>> {
    this.#held[i] = await reading
    return this.next()
  }

  /** The row that comes first; if both are at the same place, the second one. */
  #take(): Found<R> {
    const [first, second] = this.#held as Pair<Found<R>>
    const from = isBefore(first, second) ? 0 : 1
    this.#held[from] = null
    return from === 0 ? first : second
  }
}

function isBefore(first: Found<unknown>, second: Found<unknown>): boolean {
  if (first === undefined) return false
  return second === undefined || compareBytes(first.key.subarray(1), second.key.subarray(1)) < 0
}
