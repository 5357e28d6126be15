import type { BucketRow } from '../views/rows.ts'
import { bucketTable } from '../views/tables.ts'
import { noSuchBucket } from './conditions.ts'
import type { Rule } from './rule.ts'

/** Setting the state a bucket already has changes nothing and leaves no event. @throws `NoSuchBucket`. */
export const putBucketVersioning: Rule<'PutBucketVersioning', BucketRow | undefined> = {
  load: (rows, { bucket }) => rows.get(bucketTable.key(bucket)),

  decide(bucket, { bucket: name, status }) {
    if (bucket === undefined) throw noSuchBucket(name)
    return bucket.versioning === status ? [] : [{ type: 'VersioningSet', data: { bucket: name, status } }]
  },
}
