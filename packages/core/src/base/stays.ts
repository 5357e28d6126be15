/**
 * Things that stay for a while, in no order. A map or a set of few members takes longer for short stays, because V8 shrinks
 * and grows it all the time.
 */

interface Stay<T> {
  readonly value: T
  /** Its index; -1 when it has ended. */
  place: number
}

export class Stays<T> implements Iterable<T> {
  readonly #stays: Stay<T>[] = []
  readonly #onEnd: (() => void) | undefined

  /** `onEnd`: called after each stay that ends. */
  constructor(onEnd?: () => void) {
    this.#onEnd = onEnd
  }

  /** Returns a function that ends the stay. Calling it twice is harmless. */
  begin(value: T): () => void {
    const stay = { value, place: this.#stays.length }
    this.#stays.push(stay)
    return () => this.#end(stay)
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const { value } of this.#stays) yield value
  }

  /** The last one takes the place of the one that ends. */
  #end(stay: Stay<T>): void {
    if (stay.place < 0) return
    const last = this.#stays.pop() as Stay<T>
    if (last !== stay) {
      last.place = stay.place
      this.#stays[stay.place] = last
    }
    stay.place = -1
    this.#onEnd?.()
  }
}
