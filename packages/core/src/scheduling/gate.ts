import { FairQueue } from './fair-queue.ts'

/**
 * Lets a few through at a time. Who waits is let in by turns: first one of each holder, so that many of one do not stand
 * before one of another.
 */
export class Gate {
  readonly #widest: number
  readonly #waiting = new FairQueue<() => void>()
  #inside = 0

  constructor(widest: number) {
    this.#widest = widest
  }

  /** Resolves and rejects as `act` does. */
  async pass<T>(holder: string, act: () => Promise<T>): Promise<T> {
    if (this.#inside < this.#widest) this.#inside++
    else await new Promise<void>((resolve) => this.#waiting.push(holder, resolve))
    try {
      return await act()
    } finally {
      this.#leave()
    }
  }

  /** Gives the place to the next, or back. */
  #leave(): void {
    const enter = this.#waiting.shift()
    if (enter === undefined) this.#inside--
    else enter()
  }
}
