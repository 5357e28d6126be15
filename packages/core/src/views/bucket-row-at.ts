import type { Seq } from '../ports/index.ts'
import type { Rows } from './row-reader.ts'
import type { BucketRow, Past } from './rows.ts'
import { bucketTable } from './tables.ts'

/** The row of the bucket that had this name after an event. */
export async function bucketRowAt(rows: Rows, name: string, at: Seq): Promise<BucketRow | undefined> {
  const live = await rows.get(bucketTable.key(name))
  return live !== undefined && live.since <= at ? live : pastBucket(rows, name, at)
}

/** As `bucketRowAt`, if that is not the row of the bucket that has the name now. */
export async function pastBucket(rows: Rows, name: string, at: Seq): Promise<BucketRow | undefined> {
  const question = `bucket ${at} ${name}`
  const known = rows.answers?.answer(question)
  if (known !== undefined) return rows.get(bucketTable.past(name, known.seq))
  const past = await rows.first<Past<BucketRow>>(bucketTable.pastFrom(name, at))
  if (past === undefined || past.row.until <= at) return undefined
  rows.answers?.keepAnswer(question, { seq: past.row.since, in: 'past' })
  return past.row
}
