import { StorageError } from '../base/errors.ts'
import { type BucketEvent, evolveBucket, isSettingEvent } from './evolve-bucket.ts'
import { type Setting, settingKindOf } from '../settings/setting.ts'
import type { RecordedEvent } from '../events/index.ts'
import { droppedTable } from './fork-tables.ts'
import { endForkPin, putForkPin } from './fork-pins.ts'
import type { BucketRow, Past } from './rows.ts'
import type { RowTransaction } from './row-transaction.ts'
import { countOwned, startUsage } from './usage.ts'
import { bucketTable, deletedBucketTable, settingTable } from './tables.ts'

export async function projectBucket(rows: RowTransaction, event: BucketEvent): Promise<void> {
  if (event.type === 'BucketRestored') return restoreBucket(rows, event)
  const { bucket } = event.data
  const before = await rows.get(bucketTable.key(bucket))
  const after = evolveBucket(before, event)
  if (before !== undefined) rows.put(bucketTable.past(bucket, before.since), pastRow(before, event))
  if (after === undefined) rows.delete(bucketTable.key(bucket))
  else rows.put(bucketTable.key(bucket), after)
  if (event.type === 'BucketCreated') await startUsage(rows, event.seq, event.data.owner.id)
  if ((event.type === 'BucketDeleted' || event.type === 'ForkDropped') && before !== undefined) {
    await end(rows, event, before)
  }
  if (isSettingEvent(event)) {
    const setting = { kind: settingKindOf(event.type), value: event.data.value } as Setting
    rows.put(settingTable.key(bucket, event.seq), setting)
  }
}

const pastRow = (before: BucketRow, { type, seq }: BucketEvent): Past<BucketRow> => ({
  ...before,
  ...(type === 'ForkDropped' && { dropped: true }),
  until: seq,
})

async function end(
  rows: RowTransaction,
  event: RecordedEvent<'BucketDeleted' | 'ForkDropped'>,
  before: BucketRow,
): Promise<void> {
  const { bucket, leavesUploads } = event.data
  const { incarnation, base, owner } = before
  await countOwned(rows, owner.id, { buckets: -1 })
  if (leavesUploads) rows.put(deletedBucketTable.key(event.seq), { bucket, incarnation })
  if (event.type === 'ForkDropped') rows.put(droppedTable.key(bucket), pastRow(before, event))
  if (base !== undefined) await endForkPin(rows, incarnation, event.seq)
}

async function restoreBucket(rows: RowTransaction, event: RecordedEvent<'BucketRestored'>): Promise<void> {
  const { bucket, deleted } = event.data
  const past = await rows.first<Past<BucketRow>>(bucketTable.pastFrom(bucket, deleted))
  if (past === undefined)
    throw new StorageError('RowCorrupt', `The row of the bucket deleted at ${deleted} is missing.`, {
      details: { seq: deleted },
    })
  const { until: _until, ...before } = past.row
  const row = evolveBucket(before, event) as BucketRow
  rows.put(bucketTable.key(bucket), row)
  await countOwned(rows, row.owner.id, { buckets: 1 })
  if (row.base !== undefined) await putForkPin(rows, row.incarnation, row.base)
}
