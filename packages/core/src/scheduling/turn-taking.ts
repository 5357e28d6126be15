/**
 * Lets the event loop run between reads and commits. Both may be served entirely from memory. A caller that awaits them
 * in a loop would then block all I/O callbacks: commits of others, timers, connections. So each turn of the event loop
 * has a budget of rows; when it is spent, all callers wait for the next turn.
 */
import type { Timer } from '../ports/index.ts'

/** The budget in rows of one turn: about a millisecond of work. The cost of a turn is small in comparison. */
const rowsPerTurn = 256
/** The bytes of the log that are decoded in the time of one row. */
const rowBytes = 256
/** The maximum that one page counts for the budget, because it may contain fewer rows than requested. */
const pageMax = rowsPerTurn / 4

/** `pause` is for waiting longer than a turn. */
type TurnTimer = Pick<Timer, 'nextTurn'> & Partial<Pick<Timer, 'pause'>>

export class TurnTaking {
  readonly #timer: TurnTimer | undefined
  #spent = 0
  #turn: Promise<void> | undefined

  /** Without a timer nothing ever waits. */
  constructor(timer: TurnTimer | undefined) {
    this.#timer = timer
  }

  spend(rows: number): void {
    this.#spent += Math.min(rows, pageMax)
  }

  /** Await it before any work. `undefined` while the budget lasts. */
  wait(): Promise<void> | undefined {
    if (this.#turn !== undefined) return this.#turn
    if (this.#timer === undefined || this.#spent < rowsPerTurn) return undefined
    return (this.#turn = this.#takeTurn(this.#timer))
  }

  /**
   * Counts bytes of the log before they are decoded. Waits until a turn has room for them: unlike those who wait for a turn, of many
   * with long events only one goes on in each. `undefined` while the budget lasts.
   */
  take(bytes: number): Promise<void> | undefined {
    const rows = 1 + Math.floor(bytes / rowBytes)
    if (this.#timer !== undefined && this.#spent >= rowsPerTurn) return this.#takeLater(rows, this.#timer)
    this.#spent += rows
    return undefined
  }

  async #takeLater(rows: number, timer: Pick<Timer, 'nextTurn'>): Promise<void> {
    while (this.#spent >= rowsPerTurn) await (this.#turn ??= this.#takeTurn(timer))
    this.#spent += rows
  }

  /** Always waits for the next turn: for background work between its steps. */
  async pass(): Promise<void> {
    await this.#timer?.nextTurn()
  }

  /** Waits so long, or for the next turn. */
  async pause(ms: number): Promise<void> {
    await (ms > 0 ? this.#timer?.pause?.(ms) : this.pass())
  }

  async #takeTurn(timer: Pick<Timer, 'nextTurn'>): Promise<void> {
    await timer.nextTurn()
    this.#spent = 0
    this.#turn = undefined
  }
}
