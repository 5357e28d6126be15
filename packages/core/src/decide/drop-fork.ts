import { StorageError } from '../base/errors.ts'
import { noSuchBucket } from '../reads/conditions.ts'
import type { BucketRow } from '../views/rows.ts'
import { bucketTable, uploadTable, versionTable } from '../views/tables.ts'
import type { Rule } from './rule.ts'

interface State {
  readonly bucket: BucketRow | undefined
  /** It has versions of its own. Loaded only if they may be locked. */
  readonly hasVersions: boolean
  readonly hasUploads: boolean
}

/**
 * One event, whatever the fork has: `ClearDroppedFork` removes its versions afterwards.
 * @throws `NoSuchBucket`, `NotAFork`; `AccessDenied` for a fork with Object Lock that has versions of its own
 */
export const dropFork: Rule<'DropFork', State> = {
  async load(rows, { bucket: name }) {
    const bucket = await rows.get(bucketTable.key(name))
    if (bucket === undefined) return { bucket, hasVersions: false, hasUploads: false }
    const mayBeLocked = bucket.settings?.ObjectLock !== undefined
    const uploads = uploadTable.range({ bucket: name, incarnation: bucket.incarnation })
    return {
      bucket,
      hasVersions: mayBeLocked && (await rows.first(versionTable.range(name, ''))) !== undefined,
      hasUploads: (await rows.first(uploads)) !== undefined,
    }
  },

  decide({ bucket, hasVersions, hasUploads }, { bucket: name }) {
    if (bucket === undefined) throw noSuchBucket(name)
    if (bucket.base === undefined) {
      throw new StorageError('NotAFork', `The bucket ${name} is no fork: empty it and delete it instead.`, {
        details: { BucketName: name },
      })
    }
    if (hasVersions) {
      throw new StorageError(
        'AccessDenied',
        'The fork has Object Lock and versions of its own, which may be locked. Remove them first.',
        { details: { BucketName: name } },
      )
    }
    return [{ type: 'ForkDropped', data: { bucket: name, ...(hasUploads && { leavesUploads: true }) } }]
  },
}
