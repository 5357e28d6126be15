import { StorageError } from '../base/errors.ts'
import type { OnUpload } from '../commands/command.ts'
import type { Rows } from '../views/row-reader.ts'
import type { BucketRow, UploadRow } from '../views/rows.ts'
import { uploadTable } from '../views/tables.ts'

/** An upload in progress of the current bucket, not of an earlier bucket of that name, nor of another branch of the log. */
export async function loadUpload(
  rows: Rows,
  bucketRow: BucketRow | undefined,
  { bucket, key, upload, epoch }: OnUpload,
): Promise<UploadRow | undefined> {
  if (bucketRow === undefined) return undefined
  const row = await rows.get(uploadTable.key({ bucket, incarnation: bucketRow.incarnation }, key, upload))
  return row?.epoch === epoch ? row : undefined
}

export const noSuchUpload = (): StorageError =>
  new StorageError(
    'NoSuchUpload',
    'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
  )
