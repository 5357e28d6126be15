import { StorageError } from '../base/errors.ts'
import type { BucketRow } from '../views/rows.ts'
import { bucketTable } from '../views/tables.ts'
import { noSuchBucket } from '../reads/conditions.ts'
import type { Rule } from './rule.ts'

/**
 * Setting the current state again causes no event.
 * @throws `NoSuchBucket`, `InvalidBucketState` for suspending it in a bucket with Object Lock.
 */
export const putBucketVersioning: Rule<'PutBucketVersioning', BucketRow | undefined> = {
  load: (rows, { bucket }) => rows.get(bucketTable.key(bucket)),

  decide(bucket, { bucket: name, status }) {
    if (bucket === undefined) throw noSuchBucket(name)
    if (status === 'Suspended' && bucket.settings?.ObjectLock !== undefined) {
      throw new StorageError(
        'InvalidBucketState',
        'An Object Lock configuration is present on this bucket, so the versioning state cannot be changed.',
      )
    }
    return bucket.versioning === status ? [] : [{ type: 'VersioningSet', data: { bucket: name, status } }]
  },
}
