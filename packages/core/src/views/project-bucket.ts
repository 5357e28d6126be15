import { type BucketEvent, evolveBucket } from '../evolve/evolve-bucket.ts'
import type { RowTransaction } from './row-transaction.ts'
import { bucketTable } from './tables.ts'

export async function projectBucket(rows: RowTransaction, event: BucketEvent): Promise<void> {
  const { bucket } = event.data
  const before = await rows.get(bucketTable.key(bucket))
  const after = evolveBucket(before, event)
  if (before !== undefined) rows.put(bucketTable.past(bucket, before.since), { ...before, until: event.seq })
  if (after === undefined) rows.delete(bucketTable.key(bucket))
  else rows.put(bucketTable.key(bucket), after)
}
