/** The events of restores, undos and merges that need several commits. */
import type { Seq } from '../ports/index.ts'
import type { Cause } from './cause.ts'

/** What takes several commits: see `TaskStarted`. */
export type TaskKind = Cause['kind']
/**
 * A restore, an undo or a merge that needs several commits has made its first one, and goes on until `TaskEnded`, also
 * after a crash. Its id is the id of the cause of all of its events.
 */
export interface TaskStarted {
  readonly id: string
  readonly kind: TaskKind
  /** What was requested, with positions for moments. It is enough to plan the rest again. */
  readonly request: unknown
  /** The position of the state that it was planned in. */
  readonly planned: Seq
  /** Bytes that were freed after this position stay until the task ends. */
  readonly keeps: Seq
  /** The number of changes that were planned. */
  readonly total: number
  /** How many of them are behind it, made or left out. */
  readonly done: number
  /** The last key that is behind it. Absent: what is left is known by the events. */
  readonly after?: string
}
/** Another part of a task was committed, in the same commit as this event. */
export interface TaskContinued extends Pick<TaskStarted, 'id' | 'done' | 'after'> {}
/** Nothing more of a task follows. */
export interface TaskEnded {
  readonly id: string
  /** `failed`: the rest was refused. What was committed before stays. */
  readonly outcome: 'done' | 'stopped' | 'failed'
  /** The code of the error. Present if it failed. */
  readonly code?: string
}
