/** Finds the upload in progress that a client names. */
import { noSuchBucket } from '../reads/conditions.ts'
import { loadUpload, noSuchUpload } from '../decide/uploads.ts'
import type { Rows } from '../views/row-reader.ts'
import type { BucketRow, UploadRow } from '../views/rows.ts'
import { bucketTable } from '../views/tables.ts'
import type { UploadRef } from '../api/types/index.ts'
import type { UploadIds, UploadPlace } from './upload-ids.ts'

/** An upload in progress, and the fields that every command on it has. */
export interface FoundUpload {
  readonly row: UploadRow
  readonly bucket: BucketRow
  readonly place: UploadPlace
}

/** @throws StorageError `NoSuchBucket`, `NoSuchUpload`. */
export async function findUpload(rows: Rows, ids: UploadIds, upload: UploadRef): Promise<FoundUpload> {
  const { bucket } = upload
  const bucketRow = await rows.get(bucketTable.key(bucket))
  if (bucketRow === undefined) throw noSuchBucket(bucket)
  const place = ids.placeOf(upload)
  const row = await loadUpload(rows, bucketRow, place)
  if (row === undefined) throw noSuchUpload()
  return { row, bucket: bucketRow, place }
}
