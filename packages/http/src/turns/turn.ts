/**
 * Work done between two looks at the network, counted in steps and shared by everything that runs in this process. One request
 * may have more to do than fits in a turn; it goes on in a later one, so that no request keeps the others waiting for long.
 */

import { FairQueue } from '@varve/core'

/** A step is about what comparing one character costs: this many take a few milliseconds. */
const stepsPerTurn = 1_000_000

export class Turn {
  readonly #stepsMax: number
  readonly #waiting = new FairQueue<() => void>()
  #spent = 0
  #isArmed = false

  constructor(stepsMax: number = stepsPerTurn) {
    this.#stepsMax = stepsMax
  }

  /** Counts work that was done, or is about to be. */
  spend(steps: number): void {
    this.#spent += steps
    // Below half of the budget it may add up over turns: an immediate in each would make the loop look at the network again
    // after every few requests.
    if (!this.#isArmed && this.#spent >= this.#stepsMax / 2) this.#arm()
  }

  /** True when work that can wait should: `if (turn.isOver) await turn.next(shareOf(address))`. */
  get isOver(): boolean {
    return this.#spent >= this.#stepsMax || this.#waiting.length > 0
  }

  /**
   * Resolves in a later turn. Of all that wait one of each holder is let on before the second of any, for as long as there is
   * something left of the turn.
   */
  next(holder: string): Promise<void> {
    if (!this.#isArmed) this.#arm()
    return new Promise((resolve) => this.#waiting.push(holder, resolve))
  }

  #arm(): void {
    this.#isArmed = true
    // An immediate that is set while immediates run waits until the network was looked at.
    setImmediate(this.#begin)
  }

  readonly #begin = (): void => {
    this.#isArmed = false
    this.#spent = 0
    if (this.#waiting.length > 0) this.#arm()
    this.#letOn()
  }

  readonly #letOn = (): void => {
    const goOn = this.#spent >= this.#stepsMax ? undefined : this.#waiting.shift()
    if (goOn === undefined) return
    goOn()
    // By then the work that went on has spent its share.
    queueMicrotask(this.#letOn)
  }
}

/** That of this process. */
export const turn = new Turn()
