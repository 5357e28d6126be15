import { StorageError } from '../base/errors.ts'
import type { Event } from '../events/index.ts'
import type { BucketRow, UploadRow } from '../views/rows.ts'
import type { KeyedRow, Rows } from '../views/row-reader.ts'
import { bucketTable, uploadTable } from '../views/tables.ts'
import { hasVersion } from '../views/has-version.ts'
import { noSuchBucket } from '../reads/conditions.ts'
import { conflictOf } from './conflict-of.ts'
import type { Rule } from './rule.ts'

interface State {
  readonly bucket: BucketRow | undefined
  readonly hasVersion: boolean
  readonly anyUpload: KeyedRow<UploadRow> | undefined
}

/**
 * Refuses a bucket that has versions or delete markers. Uploads in progress do not matter: they become unusable, and
 * `ClearDeletedBucket` aborts them afterwards.
 * @throws `NoSuchBucket`, `BucketNotEmpty`; `NotImplemented` for a fork that hides too many versions of its base
 */
export const deleteBucket: Rule<'DeleteBucket', State> = {
  load,

  decide({ bucket, hasVersion: isFull, anyUpload }, { bucket: name }) {
    if (bucket === undefined) throw noSuchBucket(name)
    if (isFull) {
      const versions = bucket.versioning === undefined ? '' : ' You must delete all versions in the bucket.'
      throw new StorageError('BucketNotEmpty', `The bucket you tried to delete is not empty.${versions}`, {
        details: { BucketName: name },
      })
    }
    return [deleted(name, anyUpload)]
  },
}

/**
 * Undoes the creation of a bucket.
 * @throws `UndoConflict` if others have put something into it or have deleted it, unless conflicts are skipped
 */
export const revertCreation: Rule<'RevertCreation', State> = {
  load,

  decide({ bucket, hasVersion: isFull, anyUpload }, { bucket: name, incarnation, cause, skips }) {
    if (bucket?.incarnation === incarnation && !isFull) return [deleted(name, anyUpload)]
    if (skips) return []
    const problem = bucket?.incarnation === incarnation ? 'is not empty' : 'is not there any more'
    throw conflictOf(cause, `A bucket that would be deleted ${problem}.`, { BucketName: name })
  },
}

async function load(rows: Rows, { bucket: name }: { readonly bucket: string }): Promise<State> {
  const bucket = await rows.get(bucketTable.key(name))
  if (bucket === undefined) return { bucket, hasVersion: false, anyUpload: undefined }
  return {
    bucket,
    hasVersion: await hasVersion(rows, { bucket: name, row: bucket }),
    anyUpload: await rows.first<UploadRow>(uploadTable.range({ bucket: name, incarnation: bucket.incarnation })),
  }
}

const deleted = (bucket: string, anyUpload: State['anyUpload']): Event => ({
  type: 'BucketDeleted',
  data: { bucket, ...(anyUpload && { leavesUploads: true }) },
})
