/** Restores, undos and merges that go on. */
import { schema, type TaskInfo } from '@varve/core'
import { ofList } from './answer-holding.ts'
import { actor, done, isoDate, name, position } from './common-fields.ts'
import { linesRow, valueRow } from './control-row.ts'
import { nothing, query } from './input.ts'

const { boolean, integer, json, literal, object, objectWith, text } = schema

const taskInfo = objectWith<Omit<TaskInfo, 'request'> & { readonly request: schema.Json }>({
  id: text(),
  kind: literal('restore', 'undo', 'merge'),
  request: json,
  seq: position,
  startedAt: isoDate,
  startedBy: actor,
  done: integer({ min: 0 }),
  total: integer({ min: 0 }),
  isHere: boolean,
}) as unknown as schema.Schema<TaskInfo>

/** A task by its id. */
export interface OneTask {
  readonly id: string
}

export const listTasks = linesRow<object, TaskInfo>({
  name: 'ListTasks',
  summary: 'The restores, undos and merges that go on',
  method: 'GET',
  path: '/-/v1/tasks',
  action: 'varve:ListTasks',
  input: nothing,
  output: taskInfo,
  async *run({ store, holding }) {
    yield* ofList(holding, await store.tasks.list())
  },
})

export const stopTask = valueRow<OneTask, object>({
  name: 'StopTask',
  summary: 'Stops a restore, an undo or a merge; what it has committed stays',
  method: 'DELETE',
  path: '/-/v1/task',
  action: 'varve:StopTask',
  input: query(object<OneTask>({ id: name })),
  output: done,
  async run({ store, input }) {
    await store.tasks.stop(input.id)
    return {}
  },
})
