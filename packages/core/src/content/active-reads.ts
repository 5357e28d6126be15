/**
 * The reads in progress and the positions they began at. Bytes that a read may have found are not erased while it
 * lasts: the sweep erases only what was removed before the oldest read began. A read of the past that begins while the
 * sweep erases bytes it could find waits for that erasure, and then finds all of the bytes or none.
 */
import { Stays } from '../base/stays.ts'
import type { Seq } from '../ports/index.ts'

export class ActiveReads {
  readonly #positions = new Stays<Seq>(() => this.#ended())
  #waiting: { readonly position: Seq; readonly run: () => void } | undefined
  #erasing: { readonly upTo: Seq; readonly done: Promise<void> } | undefined

  /** Returns a function that ends the read. Calling it twice is harmless. */
  begin(position: Seq): () => void {
    return this.#positions.begin(position)
  }

  /** The position at which the oldest read began; infinity without reads. */
  get oldest(): Seq {
    let oldest = Number.POSITIVE_INFINITY
    for (const position of this.#positions) oldest = Math.min(oldest, position)
    return oldest
  }

  /**
   * Calls `run` once no read is in progress that began before `position`: at once if there is none. A later call takes
   * the place of the one before.
   */
  whenBegunSince(position: Seq, run: () => void): void {
    this.#waiting = { position, run }
    this.#ended()
  }

  #ended(): void {
    const waiting = this.#waiting
    if (waiting === undefined || this.oldest < waiting.position) return
    this.#waiting = undefined
    waiting.run()
  }

  /**
   * Runs the erasure of content removed at or before `upTo`. No read in progress began before `upTo`. One at a time.
   */
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

  /**
   * Await it in a read of the past, after `begin` and before the lookup; `undefined` if no erasure affects the read.
   */
  erased(position: Seq): Promise<void> | undefined {
    return this.#erasing !== undefined && position < this.#erasing.upTo ? this.#erasing.done : undefined
  }
}
