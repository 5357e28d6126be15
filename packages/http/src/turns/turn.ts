/**
 * Work done between two looks at the network, counted in steps and shared by everything that runs in this process. One request
 * may have more to do than fits in a turn; it goes on in a later one, so that no request keeps the others waiting for long.
 */

/** A step is about what comparing one character costs: this many take a few milliseconds. */
const stepsPerTurn = 1_000_000

export class Turn {
  readonly #stepsMax: number
  readonly #waiting: (() => void)[] = []
  #spent = 0
  #isArmed = false

  constructor(stepsMax: number = stepsPerTurn) {
    this.#stepsMax = stepsMax
  }

  /** Counts work that was done, or is about to be. */
  spend(steps: number): void {
    this.#spent += steps
    if (!this.#isArmed) this.#arm()
  }

  /** True when work that can wait should: `if (turn.isOver) await turn.next()`. */
  get isOver(): boolean {
    return this.#spent >= this.#stepsMax || this.#waiting.length > 0
  }

  /** Resolves in a later turn, in the order in which it was called, and for one caller a turn. */
  next(): Promise<void> {
    if (!this.#isArmed) this.#arm()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #arm(): void {
    this.#isArmed = true
    // An immediate that is set while immediates run waits until the network was looked at.
    setImmediate(this.#begin)
  }

  readonly #begin = (): void => {
    this.#isArmed = false
    this.#spent = 0
    const next = this.#waiting.shift()
    if (next === undefined) return
    this.#arm()
    next()
  }
}

/** That of this process. */
export const turn = new Turn()
