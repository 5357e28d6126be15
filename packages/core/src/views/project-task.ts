import type { RecordedEvent } from '../events/index.ts'
import type { RowTransaction } from './row-transaction.ts'
import { taskTable } from './tables.ts'

export async function projectTask(
  rows: RowTransaction,
  { seq, at, by, ...event }: RecordedEvent<'TaskStarted' | 'TaskContinued' | 'TaskEnded'>,
): Promise<void> {
  const key = taskTable.key(event.data.id)
  if (event.type === 'TaskStarted') rows.put(key, { ...event.data, since: seq, at, by })
  else if (event.type === 'TaskEnded') rows.delete(key)
  else {
    const task = await rows.get(key)
    if (task !== undefined) rows.put(key, { ...task, ...event.data })
  }
}
