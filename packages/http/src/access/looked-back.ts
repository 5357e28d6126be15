/**
 * The past of a bucket, and which access settings decide about it. Those of today count: what they forbid today cannot
 * be read through the past. But they say nothing about a bucket of another owner that once had the same name. That one,
 * and a bucket that no longer exists, can be read by root and by its owner of then alone. Others get the same answer
 * as if it had never existed.
 */

import type { RequestStore, Seq } from '@varve/core'
import type { BucketAccess } from './decide-access.ts'
import type { Identity } from './identity.ts'
import { isPresent, type JudgedBuckets, type ReadBucket } from './judged-buckets.ts'

/** `bucket` is what decides. */
export interface LookedBack extends ReadBucket {
  /** The access settings of then. Absent: the requester sees no bucket there, whatever it is allowed. */
  readonly past: BucketAccess | undefined
}

export const isLookedBack = (read: ReadBucket | LookedBack): read is LookedBack => 'past' in read

export interface PastBucket {
  readonly bucket: string
  readonly at: Seq
}

/** @throws StorageError `NoSuchBucket` if nothing can decide about the bucket */
export async function lookBack(
  buckets: JudgedBuckets,
  store: Pick<RequestStore, 'tracking' | 'at'>,
  { bucket, at }: PastBucket,
  identity: Identity | undefined,
): Promise<LookedBack> {
  const today = await buckets.find(store, bucket)
  const past = await buckets.accessAt(store, bucket, at)
  const { readSet, isFresh } = today
  if (past !== undefined && isPresent(today) && today.bucket.access.owner.id === past.owner.id) {
    return { ...today, past }
  }
  if (past !== undefined && isOwner(identity, past)) {
    return { bucket: { access: { owner: past.owner }, settings: undefined }, readSet, isFresh, past }
  }
  if (!isPresent(today)) throw today.absence
  return { ...today, past: undefined }
}

const isOwner = (identity: Identity | undefined, { owner }: BucketAccess): boolean =>
  identity !== undefined && (identity.root || identity.id === owner.id)
