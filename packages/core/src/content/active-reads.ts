/**
 * Reads in progress, by the position they began at. What a read could have found is never erased under it: the sweep
 * erases only what was already removed when the oldest of them began. A read of the past that begins while the sweep erases
 * what it could find waits until that is done, and then finds all of the bytes or none.
 */
import type { Seq } from '../ports/index.ts'

export class ActiveReads {
  readonly #positions = new Map<symbol, Seq>()
  #erasing: { readonly upTo: Seq; readonly done: Promise<void> } | undefined

  /** Returns the function that ends the read; calling it twice does no harm. */
  begin(position: Seq): () => void {
    const read = Symbol('read')
    this.#positions.set(read, position)
    return () => this.#positions.delete(read)
  }

  /** The position the oldest read began at; infinity when there is none. */
  get oldest(): Seq {
    let oldest = Number.POSITIVE_INFINITY
    for (const position of this.#positions.values()) oldest = Math.min(oldest, position)
    return oldest
  }

  /** Erases what was removed at or before a position that no read in progress began before. One at a time. */
  async erase<R>(upTo: Seq, work: () => Promise<R>): Promise<R> {
    const working = work()
    const done = working.then(
      () => undefined,
      () => undefined,
    )
    this.#erasing = { upTo, done }
    try {
      return await working
    } finally {
      this.#erasing = undefined
    }
  }

  /** To be awaited by a read of the past after it began and before it looks; `undefined` when nothing is in its way. */
  erased(position: Seq): Promise<void> | undefined {
    return this.#erasing !== undefined && position < this.#erasing.upTo ? this.#erasing.done : undefined
  }
}
