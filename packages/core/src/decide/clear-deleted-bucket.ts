import type { Event } from '../events/index.ts'
import type { CommandShapes } from '../commands/command.ts'
import type { DeletedBucketRow, UploadRow } from '../views/rows.ts'
import { deletedBucketTable, uploadTable } from '../views/tables.ts'
import type { Rule } from './rule.ts'

type Place = CommandShapes['ClearDeletedBucket']['uploads'][number]

interface State {
  readonly left: DeletedBucketRow | undefined
  /** The uploads of the command that still exist. */
  readonly uploads: readonly Place[]
}

/** Aborts the uploads that a deleted bucket left. No event for uploads that are already gone. */
export const clearDeletedBucket: Rule<'ClearDeletedBucket', State> = {
  async load(rows, { deleted, uploads }) {
    const left = await rows.get(deletedBucketTable.key(deleted))
    const found: Place[] = []
    for (const place of left === undefined ? [] : uploads) {
      const row: UploadRow | undefined = await rows.get(
        uploadTable.key(left as DeletedBucketRow, place.key, place.upload),
      )
      if (row !== undefined) found.push(place)
    }
    return { left, uploads: found }
  },

  decide({ left, uploads }, { deleted, last }) {
    if (left === undefined) return []
    const { bucket } = left
    return uploads.map(({ key, upload }, i): Event => {
      const lastOf = last && i === uploads.length - 1 && { lastOf: deleted }
      return { type: 'UploadAborted', data: { bucket, key, upload, ...lastOf } }
    })
  },
}
