/** Operations on buckets. */

import type { Connection } from '../transport/connection.ts'
import { hasCode, ServerError } from '../transport/failures.ts'
import { callForXml, callS3 } from './s3.ts'
import { childOf, childrenOf, requiredText } from './xml.ts'

export interface BucketEntry {
  readonly name: string
  readonly created: Date
}

/** ListBuckets. */
export async function listBuckets(connection: Connection, signal?: AbortSignal): Promise<readonly BucketEntry[]> {
  const { root } = await callForXml(connection, 'GET', { signal })
  return childrenOf(childOf(root, 'Buckets'), 'Bucket').map((bucket) => ({
    name: requiredText(bucket, 'Name'),
    created: new Date(requiredText(bucket, 'CreationDate')),
  }))
}

/** HeadBucket. A refusal tells that the bucket is there, or that the key may not know. */
export async function bucketExists(connection: Connection, bucket: string, signal: AbortSignal): Promise<boolean> {
  try {
    await callS3(connection, 'HEAD', { bucket, signal })
    return true
  } catch (error) {
    // Not a name that a bucket can have is 400.
    if (error instanceof ServerError && [400, 404].includes(error.status)) return false
    if (hasCode(error, 'AccessDenied')) return true
    throw error
  }
}

/** CreateBucket. Object lock must be chosen now: it cannot be taken away later. */
export async function createBucket(
  connection: Connection,
  bucket: string,
  { objectLock }: { readonly objectLock: boolean },
): Promise<void> {
  await callS3(connection, 'PUT', {
    bucket,
    headers: { ...(objectLock && { 'x-amz-bucket-object-lock-enabled': 'true' }) },
  })
}

/** DeleteBucket. */
export async function deleteBucket(connection: Connection, bucket: string): Promise<void> {
  await callS3(connection, 'DELETE', { bucket })
}
