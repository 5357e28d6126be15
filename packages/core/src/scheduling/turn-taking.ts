/**
 * Lets the event loop turn between reads and commits. Both can be served wholly from memory, and a caller that awaits them in a
 * loop would then keep every callback of I/O from running: the commits of others, timers, connections. So a budget of rows is
 * spent from one turn of the event loop to the next, and everybody who comes when it is spent waits for the same turn.
 */
import type { Timer } from '../ports/index.ts'

/** Rows from one turn to the next: about a millisecond's work, beside which a turn costs next to nothing. */
const rowsPerTurn = 256
/** The most that a page of rows counts as: fewer may exist than were requested. */
const pageMax = rowsPerTurn / 4

export class TurnTaking {
  readonly #timer: Pick<Timer, 'nextTurn'> | undefined
  #spent = 0
  #turn: Promise<void> | undefined

  /** Without a timer no work ever waits. */
  constructor(timer: Pick<Timer, 'nextTurn'> | undefined) {
    this.#timer = timer
  }

  spend(rows: number): void {
    this.#spent += Math.min(rows, pageMax)
  }

  /** To be awaited before anything is done; `undefined`, at once, while the budget lasts. */
  wait(): Promise<void> | undefined {
    if (this.#turn !== undefined) return this.#turn
    if (this.#timer === undefined || this.#spent < rowsPerTurn) return undefined
    return (this.#turn = this.#takeTurn(this.#timer))
  }

  /** Waits for a turn whatever was spent: for background work between its steps. */
  async pass(): Promise<void> {
    await this.#timer?.nextTurn()
  }

  async #takeTurn(timer: Pick<Timer, 'nextTurn'>): Promise<void> {
    await timer.nextTurn()
    this.#spent = 0
    this.#turn = undefined
  }
}
