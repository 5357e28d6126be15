/** Creates a bucket unless it is there, wherever the store is. */
import { isStorageError } from '../base/errors.ts'
import { createBucketOptions } from './arguments/bucket-options.ts'
import { checkBucket, optionsOf } from './arguments/common.ts'
import type { BucketInfo, Cancelable, CreateBucketOptions } from './types/index.ts'

interface Calls {
  head(bucket: string, options?: Cancelable): Promise<BucketInfo>
  create(bucket: string, options?: CreateBucketOptions): Promise<BucketInfo>
}

export async function ensureBucket(
  { head, create }: Calls,
  given: string,
  givenOptions: CreateBucketOptions | undefined,
): Promise<BucketInfo> {
  const bucket = checkBucket(given)
  const options = optionsOf(createBucketOptions, givenOptions)
  const { signal } = options
  for (;;) {
    try {
      return await head(bucket, signal === undefined ? {} : { signal })
    } catch (error) {
      if (!isStorageError(error, 'NoSuchBucket')) throw error
    }
    try {
      return await create(bucket, options)
    } catch (error) {
      // Another call has created it meanwhile.
      if (!isStorageError(error, 'BucketAlreadyExists', 'BucketAlreadyOwnedByYou')) throw error
    }
  }
}
