/**
 * A turn: the work between two polls of the network, counted in steps and shared by everything in this process. If a
 * request needs more steps than fit in a turn, it goes on in a later turn, so that no request delays the others for
 * long.
 */

import { FairQueue } from '@varve/core'

/** A step costs about as much as comparing one character: this many take a few milliseconds. */
const stepsPerTurn = 1_000_000

export class Turn {
  readonly #stepsMax: number
  readonly #waiting = new FairQueue<() => void>()
  #spent = 0
  #isArmed = false

  constructor(stepsMax: number = stepsPerTurn) {
    this.#stepsMax = stepsMax
  }

  /** Counts the steps of work that was done, or is about to be done. */
  spend(steps: number): void {
    this.#spent += steps
    // Below half of the budget, steps may add up over turns. An immediate in each turn would make the event loop poll
    // the network again after every few requests.
    if (!this.#isArmed && this.#spent >= this.#stepsMax / 2) this.#arm()
  }

  /** True when work that can wait should wait: `if (turn.isOver) await turn.next(shareOf(address))`. */
  get isOver(): boolean {
    return this.#spent >= this.#stepsMax || this.#waiting.length > 0
  }

  /** How many tasks wait for a later turn. */
  get waiting(): number {
    return this.#waiting.length
  }

  /**
   * Resolves in a later turn. One waiting task of each holder goes on before the second of any holder, while steps of
   * the turn remain.
   */
  next(holder: string): Promise<void> {
    if (!this.#isArmed) this.#arm()
    return new Promise((resolve) => this.#waiting.push(holder, resolve))
  }

  #arm(): void {
    this.#isArmed = true
    // An immediate that is set while immediates run waits until the event loop has polled the network.
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
    // By then the task that went on has counted its steps.
    queueMicrotask(this.#letOn)
  }
}

/** The turn of this process. */
export const turn = new Turn()
