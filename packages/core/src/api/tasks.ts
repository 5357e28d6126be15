/** Restores, undos and merges that need several commits and go on. */
import type { Actor, TaskKind } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { checked } from '../schema/schema.ts'
import { endTask, type TaskRunner } from '../tasks/commit-parts.ts'
import { readTasks } from '../tasks/read-tasks.ts'
import type { TaskRow } from '../views/rows.ts'
import { name } from './arguments/common.ts'

/** A restore, an undo or a merge that goes on: its first commit is made. */
export interface TaskInfo {
  /** The id of the cause of its events. */
  readonly id: string
  readonly kind: TaskKind
  /** What was requested, as JSON, with positions for moments. */
  readonly request: unknown
  /** The position of the event that started it. */
  readonly seq: Seq
  readonly startedAt: Date
  readonly startedBy: Actor
  /** How many of the planned changes are made or left out. */
  readonly done: number
  readonly total: number
  /** True if this process carries it out now. Otherwise another one does, or it goes on when the store is opened again. */
  readonly isHere: boolean
}

/** The tasks of a store. The log has those that ended: `TaskStarted` and `TaskEnded`. */
export interface Tasks {
  /** All that go on, in the order of their ids. */
  list(): Promise<readonly TaskInfo[]>
  /**
   * Stops a task after the commit that it is at. What it committed stays, and can be undone by its id. The call that
   * began the task fails with `TaskStopped`.
   * @throws StorageError `NoSuchTask` if it has ended, or was never there
   */
  stop(id: string): Promise<void>
}

export function storeTasks({ engine, tasks }: TaskRunner, context: StoreContext): Tasks {
  return {
    async list() {
      engine.assertOpen()
      return (await readTasks(engine)).map((row) => infoOf(row, tasks.isRunning(row.id)))
    },
    async stop(given) {
      const id = checked('id', name, given)
      engine.assertWritable()
      engine.assertOpen()
      await endTask(engine, context, { id, outcome: 'stopped' })
    },
  }
}

const infoOf = ({ id, kind, request, since, at, by, done, total }: TaskRow, isHere: boolean): TaskInfo => ({
  id,
  kind,
  request,
  seq: since,
  startedAt: new Date(at),
  startedBy: by,
  done,
  total,
  isHere,
})
