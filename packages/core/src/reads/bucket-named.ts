import type { Rows } from '../views/row-reader.ts'
import type { BucketRow } from '../views/rows.ts'
import { bucketTable } from '../views/tables.ts'
import { noSuchBucket } from './conditions.ts'

/** @throws StorageError `NoSuchBucket` */
export async function bucketNamed(rows: Rows, name: string): Promise<BucketRow> {
  const row = await rows.get(bucketTable.key(name))
  if (row === undefined) throw noSuchBucket(name)
  return row
}
