/** Restores, undos and merges that go on in the server, whoever began them. */

import { schema } from '@varve/core'
import type { Connection } from '../transport/connection.ts'
import { control, controlLines } from './control.ts'
import type { PlannedCall } from './plans.ts'

const { integer, literal, objectWith, optional, text } = schema

export interface Task {
  readonly id: string
  readonly kind: PlannedCall['operation']
  readonly request: { readonly bucket?: string; readonly prefix?: string; readonly fork?: string }
  readonly seq: number
  readonly startedBy: { readonly name: string }
  readonly done: number
  readonly total: number
}

const taskShape = objectWith<Task>({
  id: text(),
  kind: literal('restore', 'undo', 'merge'),
  request: objectWith<Task['request']>({ bucket: optional(text()), prefix: optional(text()), fork: optional(text()) }),
  seq: integer(),
  startedBy: objectWith<Task['startedBy']>({ name: text() }),
  done: integer(),
  total: integer(),
})

export async function listTasks(connection: Connection, signal?: AbortSignal): Promise<readonly Task[]> {
  const tasks: Task[] = []
  for await (const task of controlLines(connection, 'GET', 'tasks', { shape: taskShape, signal })) tasks.push(task)
  return tasks
}

/** Stops a task after the commit that it is at. @throws ServerError `NoSuchTask` if it has ended, or has not begun */
export async function stopTask(connection: Connection, id: string): Promise<void> {
  await control(connection, 'DELETE', 'task', { query: [['id', id]], shape: objectWith<object>({}) })
}

/** What a task did, and how it ended. */
export interface TaskEnd {
  /** How many changes were made or left out. */
  readonly done: number
  /** Absent: it has not ended. */
  readonly outcome?: 'done' | 'stopped' | 'failed'
  readonly code?: string
}

interface TaskEvent {
  readonly data: Partial<TaskEnd> & { readonly id: string }
}

const taskEvent = objectWith<TaskEvent>({
  data: objectWith<TaskEvent['data']>({
    id: text(),
    done: optional(integer()),
    outcome: optional(literal('done', 'stopped', 'failed')),
    code: optional(text()),
  }),
})

/** Reads in the log what a task did. It began at the position `seq`, or later. */
export async function endOfTask(
  connection: Connection,
  { id, seq }: Pick<Task, 'id' | 'seq'>,
  signal?: AbortSignal,
): Promise<TaskEnd> {
  const query = [
    ['from', String(seq)],
    ['types', 'TaskStarted,TaskContinued,TaskEnded'],
  ] as const
  let end: TaskEnd = { done: 0 }
  for await (const { data } of controlLines(connection, 'GET', 'log', { query, shape: taskEvent, signal })) {
    if (data.id === id) end = { ...end, ...data }
    if (end.outcome !== undefined) break
  }
  return end
}
