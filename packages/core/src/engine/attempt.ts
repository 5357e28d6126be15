import { isStorageError } from '../base/errors.ts'
import type { HeldHead, Seq } from '../ports/index.ts'
import type { CommitWatch } from './commit-watch.ts'

/** How many conflicts in a row may have no cause that can be found. */
export const unexplainedMax = 3

/** One attempt to decide and commit a group. */
export interface Attempt<Doubts> {
  readonly watch: CommitWatch | undefined
  readonly doubts: Doubts
  /** The turn of this engine at the end of the log, if it took one. */
  readonly held: HeldHead | undefined
  readonly isUnexplained: boolean
}

/** Another engine was first, and nothing was written. */
export interface Conflict {
  /** The end of the log, if it is known. */
  readonly seen?: Seq | undefined
  /** The engine kept its turn too long. Perhaps no other engine was first. */
  readonly lostTurn?: boolean
}

/** @throws the error, if it is no conflict */
export function conflictOf(error: unknown): Conflict {
  if (!isStorageError(error, 'JournalConflict')) throw error
  const { head, kind } = error.details
  return { seen: typeof head === 'number' ? head : undefined, lostTurn: kind === 'turn' }
}
