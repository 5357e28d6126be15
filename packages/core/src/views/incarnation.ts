import { type Soon, whenThere } from '../base/soon.ts'
import type { Seq } from '../ports/index.ts'
import { droppedTable } from './fork-tables.ts'
import type { RowTransaction } from './row-transaction.ts'
import type { Rows } from './row-reader.ts'
import type { BucketRow, Past } from './rows.ts'
import { type BucketPlace, bucketTable } from './tables.ts'

/** The bucket that has rows of versions under this name now: the live one, or a dropped fork that is not cleared yet. */
export const bucketWithRows = (rows: Rows, bucket: string): Soon<BucketRow | undefined> =>
  whenThere(rows.get(bucketTable.key(bucket)), (row) => row ?? rows.get(droppedTable.key(bucket)))

/** The incarnation of that bucket; 0 in a salvaged log that lacks it. */
export const incarnationOf = (rows: RowTransaction, bucket: string): Soon<Seq> =>
  whenThere(bucketWithRows(rows, bucket), (row) => row?.incarnation ?? 0)

/** The incarnation of the bucket that had this name after the event at a position; `undefined` if there was none. */
export async function incarnationAt(rows: Rows, bucket: string, at: Seq): Promise<Seq | undefined> {
  const live = await rows.get(bucketTable.key(bucket))
  if (live !== undefined && live.incarnation <= at) return live.incarnation
  const past = await rows.first<Past<BucketRow>>(bucketTable.pastFrom(bucket, at))
  return past === undefined || past.row.until <= at ? undefined : past.row.incarnation
}

/** The bucket that had this name at a position: the current one, or one that was deleted since. */
export async function bucketAt(rows: Rows, bucket: string, at: Seq): Promise<BucketPlace> {
  const live = await rows.get(bucketTable.key(bucket))
  if (live !== undefined && live.incarnation < at) return { bucket, incarnation: live.incarnation }
  const past = await rows.first<Past<BucketRow>>(bucketTable.pastFrom(bucket, at))
  return { bucket, incarnation: past?.row.incarnation ?? 0 }
}
