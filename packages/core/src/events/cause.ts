import type { Seq } from '../ports/index.ts'

/** Why an event happened, if it is part of something larger. */
export interface Cause {
  readonly kind: 'restore' | 'undo' | 'merge'
  /** The same for all events of one restore, undo or merge: the id of its request. */
  readonly id: string
  /** The position that was restored to; the last event that was undone; the position of the fork that was merged. */
  readonly to: Seq
}
