import { checkKey, checkMetadata } from '../names.ts'
import type { BucketRow } from '../views/rows.ts'
import { bucketTable } from '../views/tables.ts'
import { noSuchBucket } from './conditions.ts'
import type { Rule } from './rule.ts'

/** @throws `NoSuchBucket`, `KeyTooLongError`, `MetadataTooLarge`. */
export const createMultipartUpload: Rule<'CreateMultipartUpload', BucketRow | undefined> = {
  load: (rows, { bucket }) => rows.get(bucketTable.key(bucket)),

  decide(bucket, command) {
    checkKey(command.key)
    checkMetadata(command.metadata)
    if (bucket === undefined) throw noSuchBucket(command.bucket)
    return [{ type: 'UploadStarted', data: command }]
  },
}
