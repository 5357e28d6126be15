import { StorageError } from '../errors.ts'
import { checkBucketName } from '../names.ts'
import type { BucketRow } from '../views/rows.ts'
import { bucketTable } from '../views/tables.ts'
import type { Rule } from './rule.ts'

/** @throws `InvalidBucketName`, `BucketAlreadyOwnedByYou`, `BucketAlreadyExists`. */
export const createBucket: Rule<'CreateBucket', BucketRow | undefined> = {
  load: (rows, { bucket }) => rows.get(bucketTable.key(bucket)),

  decide(existing, { bucket, region }, { by }) {
    checkBucketName(bucket)
    if (existing === undefined) return [{ type: 'BucketCreated', data: { bucket, owner: by, region } }]
    if (existing.owner.id === by.id) {
      throw new StorageError(
        'BucketAlreadyOwnedByYou',
        'Your previous request to create the named bucket succeeded and you already own it.',
        { details: { BucketName: bucket } },
      )
    }
    throw new StorageError(
      'BucketAlreadyExists',
      'The requested bucket name is not available. The bucket namespace is shared by all users of the system.',
      { details: { BucketName: bucket } },
    )
  },
}
