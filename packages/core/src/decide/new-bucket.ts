/** Whether a name can have a new bucket, and its owner one more. */
import { StorageError } from '../base/errors.ts'
import type { Actor } from '../events/index.ts'
import { parseAsOfName } from '../moments/as-of-name.ts'
import { checkBucketName } from '../naming/names.ts'
import { checkBucketCount, loadOwnerQuota, type OwnerQuotaState } from '../reads/quota.ts'
import { droppedTable } from '../views/fork-tables.ts'
import type { Rows } from '../views/row-reader.ts'
import type { BucketRow } from '../views/rows.ts'
import { bucketTable } from '../views/tables.ts'

export interface NewBucketState {
  /** The bucket that has the name. */
  readonly existing: BucketRow | undefined
  /** A dropped fork of this name still has rows, which a new bucket must not show. */
  readonly isBeingCleared: boolean
  /** The quota of the owner, if it has one. */
  readonly quota: OwnerQuotaState | undefined
}

export const loadNewBucket = async (rows: Rows, bucket: string, by: Actor): Promise<NewBucketState> => ({
  existing: await rows.get(bucketTable.key(bucket)),
  isBeingCleared: (await rows.get(droppedTable.key(bucket))) !== undefined,
  quota: await loadOwnerQuota(rows, by.id),
})

/** @throws StorageError `InvalidBucketName`, `BucketAlreadyOwnedByYou`, `BucketAlreadyExists`, `TooManyBuckets`, `ForkBeingCleared`. */
export function checkNewBucket({ existing, isBeingCleared, quota }: NewBucketState, bucket: string, by: Actor): void {
  checkBucketName(bucket)
  if (existing !== undefined) throw taken(bucket, existing.owner.id === by.id)
  refuseAsOfName(bucket)
  refuseReservedName(bucket)
  checkBucketCount(quota)
  if (!isBeingCleared) return
  throw new StorageError('ForkBeingCleared', `A dropped fork ${bucket} is still being cleared.`, {
    details: { BucketName: bucket },
  })
}

const taken = (bucket: string, isOwn: boolean): StorageError =>
  isOwn
    ? new StorageError(
        'BucketAlreadyOwnedByYou',
        'Your previous request to create the named bucket succeeded and you already own it.',
        { details: { BucketName: bucket } },
      )
    : new StorageError(
        'BucketAlreadyExists',
        'The requested bucket name is not available. The bucket namespace is shared by all users of the system.',
        { details: { BucketName: bucket } },
      )

/** The first segment of every path of the S3 Control API. */
const controlPath = 'v20180820'

/** S3 reserves the ending for buckets of an account's own namespace. A bucket with such a name keeps it. */
function refuseReservedName(bucket: string): void {
  if (!bucket.endsWith('-an') && bucket !== controlPath) return
  throw new StorageError(
    'InvalidBucketName',
    'S3 reserves names of new buckets with the ending "-an", and the name of its Control API.',
    { details: { BucketName: bucket } },
  )
}

/** A bucket that has such a name from an earlier release keeps it. */
function refuseAsOfName(bucket: string): void {
  if (parseAsOfName(bucket) === undefined) return
  throw new StorageError('InvalidBucketName', `Names like ${bucket} mean another bucket as it was.`, {
    details: { BucketName: bucket },
  })
}
