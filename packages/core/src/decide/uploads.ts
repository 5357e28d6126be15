import { StorageError } from '../base/errors.ts'
import type { Seq } from '../ports/index.ts'
import type { Rows } from '../views/row-reader.ts'
import type { BucketRow, UploadRow } from '../views/rows.ts'
import { uploadTable } from '../views/tables.ts'

/** An upload in progress of the current bucket, not of an earlier bucket of that name. */
export async function loadUpload(
  rows: Rows,
  bucketRow: BucketRow | undefined,
  { bucket, key, upload }: { readonly bucket: string; readonly key: string; readonly upload: Seq },
): Promise<UploadRow | undefined> {
  if (bucketRow === undefined) return undefined
  return rows.get(uploadTable.key({ bucket, incarnation: bucketRow.incarnation }, key, upload))
}

export const noSuchUpload = (): StorageError =>
  new StorageError(
    'NoSuchUpload',
    'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
  )
