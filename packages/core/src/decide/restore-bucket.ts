/** Takes a deleted bucket back. It was empty when it was deleted. */
import type { Past, BucketRow } from '../views/rows.ts'
import { bucketTable } from '../views/tables.ts'
import type { Rule } from './rule.ts'
import { undoConflict } from './undo-conflict.ts'

interface State {
  readonly bucket: BucketRow | undefined
  /** The bucket as it was when it was deleted. */
  readonly past: Past<BucketRow> | undefined
}

/** @throws `UndoConflict` if there is a bucket of this name, unless conflicts are skipped */
export const restoreBucket: Rule<'RestoreBucket', State> = {
  load: async (rows, { bucket, deleted }) => ({
    bucket: await rows.get(bucketTable.key(bucket)),
    past: (await rows.first<Past<BucketRow>>(bucketTable.pastFrom(bucket, deleted)))?.row,
  }),

  decide({ bucket, past }, { bucket: name, deleted, id, to, skips }) {
    const isGone = bucket === undefined && past?.until === deleted
    if (isGone) return [{ type: 'BucketRestored', data: { bucket: name, deleted, cause: { kind: 'undo', id, to } } }]
    if (skips) return []
    throw undoConflict('There is another bucket of this name.', { BucketName: name })
  },
}
