import { StorageError } from '../base/errors.ts'
import { noSuchBucket } from '../reads/conditions.ts'
import { usageTable } from '../views/content-tables.ts'
import type { Rows } from '../views/row-reader.ts'
import type { BucketRow } from '../views/rows.ts'
import { bucketTable, uploadTable, versionTable } from '../views/tables.ts'
import type { Rule } from './rule.ts'

interface State {
  readonly bucket: BucketRow | undefined
  /** It has versions of its own, or alone shows bytes that its base has removed. Loaded only if these may be locked. */
  readonly hasVersions: boolean
  readonly hasUploads: boolean
}

/**
 * One event, whatever the fork has: `ClearDroppedFork` removes its versions afterwards.
 * @throws `NoSuchBucket`, `NotAFork`; `AccessDenied` for a fork with Object Lock that has versions of its own, keeps bytes that its base
 * has removed, or has versions that are locked in it and that its base does not have: the locks of inherited versions bind in the fork,
 * whatever became of those in the base
 */
export const dropFork: Rule<'DropFork', State> = {
  async load(rows, { bucket: name }) {
    const bucket = await rows.get(bucketTable.key(name))
    if (bucket === undefined) return { bucket, hasVersions: false, hasUploads: false }
    const mayBeLocked = bucket.settings?.ObjectLock !== undefined
    const uploads = uploadTable.range({ bucket: name, incarnation: bucket.incarnation })
    return {
      bucket,
      hasVersions: mayBeLocked && (await keepsVersions(rows, name, bucket)),
      hasUploads: (await rows.first(uploads)) !== undefined,
    }
  },

  decide({ bucket, hasVersions, hasUploads }, { bucket: name, held }, _meta, { locks }) {
    if (bucket === undefined) throw noSuchBucket(name)
    if (bucket.base === undefined) {
      throw new StorageError('NotAFork', `The bucket ${name} is no fork.`, {
        details: { BucketName: name },
      })
    }
    if (hasVersions) {
      throw new StorageError(
        'AccessDenied',
        'The fork has Object Lock and versions that its base does not have, which may be locked.',
        { details: { BucketName: name }, hint: 'Remove these versions first: `varve ls --versions` lists them.' },
      )
    }
    if (held !== undefined && (held.legalHold || held.until > locks)) {
      throw new StorageError(
        'AccessDenied',
        'The fork has versions that are locked in it and that its base does not have any more.',
        { details: { BucketName: name } },
      )
    }
    return [{ type: 'ForkDropped', data: { bucket: name, ...(hasUploads && { leavesUploads: true }) } }]
  },
}

/** Versions that the base has too stay locked there, so the fork may go. What it alone shows counts as `shown`. */
async function keepsVersions(rows: Rows, name: string, { incarnation }: BucketRow): Promise<boolean> {
  const { shown = 0 } = (await rows.get(usageTable.key(incarnation))) ?? {}
  return shown > 0 || (await rows.first(versionTable.range(name, ''))) !== undefined
}
