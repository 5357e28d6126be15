/**
 * A rule: which rows a command depends on, and which events follow from them. `load` reads a small, fixed number of
 * rows, however large the bucket; `decide` is pure and synchronous and returns events, or throws one coded error.
 */
import type { Soon } from '../base/soon.ts'
import type { CommandMeta, CommandShapes, CommandType } from '../commands/command.ts'
import type { Event } from '../events/index.ts'
import type { Hashing, Tip } from '../ports/index.ts'
import type { RowTransaction } from '../views/row-transaction.ts'

/** Milliseconds since the epoch. It is passed on as it is: `locks` is computed, and a copy by spreading lacks it. */
export interface DecisionTime {
  /** The time that the events will have. */
  readonly at: number
  /** The time that decides whether locks have ended: at most `at`, and earlier while the clock is in doubt. */
  readonly locks: number
  /** The last event before those that are decided. */
  readonly end: Tip
}

export interface Rule<T extends CommandType, State> {
  load(rows: RowTransaction, command: CommandShapes[T], hashing: Hashing, meta: CommandMeta): Soon<State>
  decide(state: State, command: CommandShapes[T], meta: CommandMeta, time: DecisionTime): readonly Event[]
}
