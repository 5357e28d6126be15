/**
 * Turns at the end of a shared log. An engine decides without one, and is refused if another engine was first. After such a conflict it
 * takes turns for a while: then no engine decides in vain, and writes that wait for a turn form one larger group.
 */
import type { HeldHead, Journal } from '../ports/index.ts'

/** So many groups take turns after each conflict, and after each turn that shows commits of others. */
const turnsAfterConflict = 32

export class HeadTurns {
  readonly #journal: Pick<Journal, 'hold'>
  #left = 0

  constructor(journal: Pick<Journal, 'hold'>) {
    this.#journal = journal
  }

  /** Others append to the log too. */
  contended(): void {
    this.#left = turnsAfterConflict
  }

  /** A turn was lost: this engine, or its journal, is too slow for turns now. */
  lost(): void {
    this.#left = 0
  }

  /** Absent if this engine needs none. If there is none to get, the commit shows why. */
  take(): Promise<HeldHead | undefined> | undefined {
    if (this.#left === 0 || this.#journal.hold === undefined) return undefined
    this.#left--
    return this.#journal.hold().catch(() => undefined)
  }
}
