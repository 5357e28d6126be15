/** Whether a name can have a new bucket. */
import { StorageError } from '../base/errors.ts'
import type { Actor } from '../events/index.ts'
import { parseAsOfName } from '../moments/as-of-name.ts'
import { checkBucketName } from '../naming/names.ts'
import type { BucketRow } from '../views/rows.ts'

export interface NameState {
  /** The bucket that has the name. */
  readonly existing: BucketRow | undefined
  /** A dropped fork of this name still has rows, which a new bucket must not show. */
  readonly isBeingCleared: boolean
}

/** @throws StorageError `InvalidBucketName`, `BucketAlreadyOwnedByYou`, `BucketAlreadyExists`, `ForkBeingCleared`. */
export function checkNewBucket({ existing, isBeingCleared }: NameState, bucket: string, by: Actor): void {
  checkBucketName(bucket)
  if (existing !== undefined) throw taken(bucket, existing.owner.id === by.id)
  refuseAsOfName(bucket)
  if (!isBeingCleared) return
  throw new StorageError('ForkBeingCleared', `A dropped fork ${bucket} is still being cleared. Try again later.`, {
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

/** A bucket that has such a name from an earlier release keeps it. */
function refuseAsOfName(bucket: string): void {
  if (parseAsOfName(bucket) === undefined) return
  throw new StorageError('InvalidBucketName', `Names like ${bucket} mean another bucket as it was.`, {
    details: { BucketName: bucket },
  })
}
