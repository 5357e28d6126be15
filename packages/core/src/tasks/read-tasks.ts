import type { Engine } from '../engine/engine.ts'
import { committedRows } from '../views/row-reader.ts'
import type { TaskRow } from '../views/rows.ts'
import { loadTasks } from '../views/tasks.ts'

/** The tasks that go on, in the order of their ids. */
export const readTasks = async (engine: Pick<Engine, 'withSnapshot' | 'ports'>): Promise<readonly TaskRow[]> =>
  engine.withSnapshot((reader) => loadTasks(committedRows(reader, engine.ports.hashing)))
