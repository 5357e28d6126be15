/**
 * Lets a few through at a time. Who waits is let in by turns: first one of each holder, so that many of one do not stand
 * before one of another.
 */
export class Gate {
  readonly #widest: number
  /** Holders in the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #inside = 0

  constructor(widest: number) {
    this.#widest = widest
  }

  /** Resolves and rejects as `act` does. */
  async pass<T>(holder: string, act: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#widest) await this.#turnOf(holder)
    else this.#inside++
    try {
      return await act()
    } finally {
      this.#leave()
    }
  }

  #turnOf(holder: string): Promise<void> {
    return new Promise((resolve) => {
      const others = this.#waiting.get(holder)
      if (others === undefined) this.#waiting.set(holder, [resolve])
      else others.push(resolve)
    })
  }

  /** Gives the place to the next, or back. */
  #leave(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#inside--
      return
    }
    const [holder, waiting] = next
    const enter = waiting.shift()
    this.#waiting.delete(holder)
    if (waiting.length > 0) this.#waiting.set(holder, waiting)
    enter?.()
  }
}
