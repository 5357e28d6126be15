import type { Seq } from '../ports/index.ts'
import type { Rows } from './row-reader.ts'
import type { TaskRow } from './rows.ts'
import { taskTable } from './tables.ts'

/** The tasks that go on, in the order of their ids. There are few: see `limits.tasksMax`. */
export const loadTasks = async (rows: Rows): Promise<readonly TaskRow[]> =>
  (await rows.all<TaskRow>(taskTable.range)).map(({ row }) => row)

/** The position after which tasks need all bytes that were freed. */
export const keptByTasks = (tasks: readonly TaskRow[]): Seq =>
  Math.min(Number.POSITIVE_INFINITY, ...tasks.map(({ keeps }) => keeps))
