/** Takes a deleted bucket back. It was empty when it was deleted. */
import { droppedTable } from '../views/fork-tables.ts'
import type { Past, BucketRow } from '../views/rows.ts'
import { bucketTable, deletedBucketTable } from '../views/tables.ts'
import { conflictOf } from './conflict-of.ts'
import type { Rule } from './rule.ts'

interface State {
  readonly bucket: BucketRow | undefined
  /** The bucket as it was when it was deleted. */
  readonly past: Past<BucketRow> | undefined
  /** Uploads that it left are still to be aborted. */
  readonly hasUploads: boolean
  /** A dropped fork of this name still has versions. */
  readonly isBeingCleared: boolean
}

/** @throws `UndoConflict` or `RestoreConflict` if there is a bucket of this name, or its uploads are not aborted yet, unless conflicts are skipped */
export const restoreBucket: Rule<'RestoreBucket', State> = {
  load: async (rows, { bucket, deleted }) => ({
    bucket: await rows.get(bucketTable.key(bucket)),
    past: (await rows.first<Past<BucketRow>>(bucketTable.pastFrom(bucket, deleted)))?.row,
    isBeingCleared: (await rows.get(droppedTable.key(bucket))) !== undefined,
    hasUploads: (await rows.get(deletedBucketTable.key(deleted))) !== undefined,
  }),

  decide({ bucket, past, hasUploads, isBeingCleared }, { bucket: name, deleted, cause, skips }) {
    const isCleared = !hasUploads && !isBeingCleared && past?.dropped === undefined
    const isGone = bucket === undefined && past?.until === deleted && isCleared
    if (isGone) return [{ type: 'BucketRestored', data: { bucket: name, deleted, cause } }]
    if (skips) return []
    throw conflictOf(cause, 'There is another bucket of this name, or the bucket still has uploads.', {
      BucketName: name,
    })
  },
}
