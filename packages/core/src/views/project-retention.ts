import type { RecordedEvent } from '../events/index.ts'
import { wholeStore } from '../settings/whole-store.ts'
import { incarnationOf } from './incarnation.ts'
import type { RowTransaction } from './row-transaction.ts'
import { retentionTable } from './tables.ts'

export async function projectRetention(
  rows: RowTransaction,
  { seq, data }: RecordedEvent<'RetentionSet'>,
): Promise<void> {
  const { bucket, retention } = data
  const key = retentionTable.key(bucket === undefined ? wholeStore : await incarnationOf(rows, bucket))
  if (retention === null) rows.delete(key)
  else rows.put(key, { ...retention, since: seq })
}
