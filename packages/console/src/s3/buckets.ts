/** Operations on buckets. */

import type { Connection } from '../transport/connection.ts'
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
