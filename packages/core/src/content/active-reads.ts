/**
 * Reads in progress, by the position they began at. What a read could have found is never erased under it: the sweep
 * erases only what was already removed when the oldest of them began.
 */
import type { Seq } from '../ports/index.ts'

export class ActiveReads {
  readonly #positions = new Map<symbol, Seq>()

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
}
