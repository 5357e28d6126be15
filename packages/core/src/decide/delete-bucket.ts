import { StorageError } from '../base/errors.ts'
import type { BucketRow, UploadRow } from '../views/rows.ts'
import type { VersionRow } from '../views/version-row.ts'
import type { KeyedRow } from '../views/row-reader.ts'
import { bucketTable, uploadTable, versionTable } from '../views/tables.ts'
import { noSuchBucket } from '../reads/conditions.ts'
import type { Rule } from './rule.ts'

interface State {
  readonly bucket: BucketRow | undefined
  readonly anyVersion: KeyedRow<VersionRow> | undefined
  readonly anyUpload: KeyedRow<UploadRow> | undefined
}

/**
 * Refuses a bucket that has versions or delete markers. Uploads in progress do not matter: they become unusable, and
 * `ClearDeletedBucket` aborts them afterwards.
 * @throws `NoSuchBucket`, `BucketNotEmpty`.
 */
export const deleteBucket: Rule<'DeleteBucket', State> = {
  async load(rows, { bucket: name }) {
    const bucket = await rows.get(bucketTable.key(name))
    if (bucket === undefined) return { bucket, anyVersion: undefined, anyUpload: undefined }
    return {
      bucket,
      anyVersion: await rows.first<VersionRow>(versionTable.range(name, '')),
      anyUpload: await rows.first<UploadRow>(uploadTable.range({ bucket: name, incarnation: bucket.incarnation })),
    }
  },

  decide({ bucket, anyVersion, anyUpload }, { bucket: name }) {
    if (bucket === undefined) throw noSuchBucket(name)
    if (anyVersion !== undefined) {
      const versions = bucket.versioning === undefined ? '' : ' You must delete all versions in the bucket.'
      throw new StorageError('BucketNotEmpty', `The bucket you tried to delete is not empty.${versions}`, {
        details: { BucketName: name },
      })
    }
    return [{ type: 'BucketDeleted', data: { bucket: name, ...(anyUpload && { leavesUploads: true }) } }]
  },
}
