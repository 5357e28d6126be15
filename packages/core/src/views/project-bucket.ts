import { type BucketEvent, evolveBucket, isSettingEvent } from './evolve-bucket.ts'
import { type Setting, settingKindOf } from '../settings/setting.ts'
import type { RowTransaction } from './row-transaction.ts'
import { bucketTable, deletedBucketTable, settingTable } from './tables.ts'

export async function projectBucket(rows: RowTransaction, event: BucketEvent): Promise<void> {
  const { bucket } = event.data
  const before = await rows.get(bucketTable.key(bucket))
  const after = evolveBucket(before, event)
  if (before !== undefined) rows.put(bucketTable.past(bucket, before.since), { ...before, until: event.seq })
  if (after === undefined) rows.delete(bucketTable.key(bucket))
  else rows.put(bucketTable.key(bucket), after)
  if (event.type === 'BucketDeleted' && event.data.leavesUploads && before !== undefined) {
    rows.put(deletedBucketTable.key(event.seq), { bucket, incarnation: before.incarnation })
  }
  if (isSettingEvent(event)) {
    const setting = { kind: settingKindOf(event.type), value: event.data.value } as Setting
    rows.put(settingTable.key(bucket, event.seq), setting)
  }
}
