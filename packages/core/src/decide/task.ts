/** The rules of tasks: their marks are part of the commits whose changes they count. */
import { StorageError } from '../base/errors.ts'
import { limits } from '../base/limits.ts'
import type { TaskRow } from '../views/rows.ts'
import { taskTable } from '../views/tables.ts'
import { loadTasks } from '../views/tasks.ts'
import type { Rule } from './rule.ts'

const noSuchTask = (id: string): StorageError =>
  new StorageError('NoSuchTask', `No task ${id} goes on.`, { details: { Task: id } })

export const taskExists = (id: string): StorageError =>
  new StorageError('TaskExists', `Another task has the id ${id}.`, { details: { Task: id } })

/** @throws `TooManyTasks`, `TaskExists` */
export const startTask: Rule<'StartTask', readonly TaskRow[]> = {
  load: loadTasks,

  decide(tasks, task) {
    if (tasks.length >= limits.tasksMax)
      throw new StorageError('TooManyTasks', `${limits.tasksMax} restores, undos and merges can go on at once.`)
    if (tasks.some(({ id }) => id === task.id)) throw taskExists(task.id)
    return [{ type: 'TaskStarted', data: task }]
  },
}

/** @throws `TaskStopped` if the task has ended, or goes on elsewhere */
export const continueTask: Rule<'ContinueTask', TaskRow | undefined> = {
  load: (rows, { id }) => rows.get(taskTable.key(id)),

  decide(task, { from, ...data }) {
    if (task?.done !== from) throw taskStopped(data.id)
    return [{ type: 'TaskContinued', data }]
  },
}

/** @throws `NoSuchTask`; `TaskStopped` as `continueTask` */
export const endTask: Rule<'EndTask', TaskRow | undefined> = {
  load: (rows, { id }) => rows.get(taskTable.key(id)),

  decide(task, { from, ...data }) {
    if (from !== undefined && task?.done !== from) throw taskStopped(data.id)
    if (task === undefined) throw noSuchTask(data.id)
    return [{ type: 'TaskEnded', data }]
  },
}

const taskStopped = (id: string): StorageError =>
  new StorageError('TaskStopped', `The task ${id} was stopped. What it had committed before stays.`, {
    details: { Task: id },
  })
