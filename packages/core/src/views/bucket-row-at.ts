import type { Seq } from '../ports/index.ts'
import type { Rows } from './row-reader.ts'
import type { BucketRow, Past } from './rows.ts'
import { bucketTable } from './tables.ts'

/** The row of the bucket that had this name after an event. */
export async function bucketRowAt(rows: Rows, name: string, at: Seq): Promise<BucketRow | undefined> {
  return pastOrLive(rows, { name, live: await rows.get(bucketTable.key(name)) }, at)
}

/** As `bucketRowAt`; `live`: the row of the bucket that has the name now. */
export async function pastOrLive(
  rows: Rows,
  { name, live }: { readonly name: string; readonly live: BucketRow | undefined },
  at: Seq,
): Promise<BucketRow | undefined> {
  if (live !== undefined && live.since <= at) return live
  const past = await rows.first<Past<BucketRow>>(bucketTable.pastFrom(name, at))
  return past !== undefined && at < past.row.until ? past.row : undefined
}
