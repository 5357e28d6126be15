import { FairQueue } from './fair-queue.ts'

/**
 * Lets a few tasks run at a time. Waiting tasks take turns by holder, so that many tasks of one holder do not delay
 * another holder.
 */
export class Gate {
  readonly #widest: number
  readonly #waiting = new FairQueue<() => void>()
  #inside = 0

  constructor(widest: number) {
    this.#widest = widest
  }

  /** Runs `act` when there is room. Settles as `act` does. */
  async pass<T>(holder: string, act: () => Promise<T>): Promise<T> {
    if (this.#inside < this.#widest) this.#inside++
    else await new Promise<void>((resolve) => this.#waiting.push(holder, resolve))
    try {
      return await act()
    } finally {
      this.#leave()
    }
  }

  /** Lets the next task run, or frees the place. */
  #leave(): void {
    const enter = this.#waiting.shift()
    if (enter === undefined) this.#inside--
    else enter()
  }
}
