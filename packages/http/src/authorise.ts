/**
 * May they? Decided on the parsed subject that the operation then acts on. A bucket that does not exist is `NoSuchBucket`
 * to anyone, as in S3: names are shared by all, so that is no secret.
 */

import type { Actor } from '@varve/core'
import type { BucketAccessReader } from './access/bucket-access.ts'
import type { BucketAccess } from './access/decide-access.ts'
import { type AskedStore, isAllowed } from './access/is-allowed.ts'
import type { S3Action } from './access/actions.ts'
import { mightAllow } from './access/might-allow.ts'
import { S3Error } from './errors.ts'
import type { Permission, Subject } from './operations/operation.ts'

export interface AccessRequest extends AskedStore {
  readonly subject: Subject
  readonly permissions: readonly Permission[]
  /** What is asked for of the bucket when the body is known: who could be allowed none of it is refused now. */
  readonly later: readonly S3Action[]
  /** Who would do it. */
  readonly by: Actor
  readonly reader: BucketAccessReader
}

/** The answers to further questions about the buckets of a request. */
export interface Access {
  allows(permission: Permission): Promise<boolean>
  /** What the bucket of the request says. Of one to be made, and of none: who asks. */
  readonly bucketAccess: BucketAccess
}

/** @throws StorageError `NoSuchBucket`; S3Error `AccessDenied`, and `NoSuchKey` and its kin to those who may list. */
export async function authorise(request: AccessRequest): Promise<Access> {
  const { subject, permissions, later, by, asked } = request
  const { bucket, source: { bucket: sourceBucket } = {} } = subject
  const isMade = permissions.some(({ action }) => action === 's3:CreateBucket')
  // Who makes a bucket will own it.
  const own = isMade ? { owner: by } : await accessTo(bucket, request)
  const source = sourceBucket === bucket ? own : await accessTo(sourceBucket, request)
  checkOwner(asked.headers.get('x-amz-expected-bucket-owner'), isMade ? undefined : own)
  checkOwner(asked.headers.get('x-amz-source-expected-bucket-owner'), source)
  const bucketAccess = own ?? { owner: by }
  if (later.length > 0 && !mightAllow(later, asked.identity, bucketAccess)) throw accessDenied()
  const ofOther = (name: string | undefined) => (name === sourceBucket ? source : undefined)
  const allows = (permission: Permission) =>
    isAllowed(request, permission, permission.bucket === bucket ? own : ofOther(permission.bucket))
  for (const permission of permissions) if (!(await allows(permission))) throw accessDenied()
  return { allows, bucketAccess }
}

export function accessDenied(): S3Error {
  return new S3Error('AccessDenied', 'Access Denied')
}

async function accessTo(
  bucket: string | undefined,
  { store, reader }: AccessRequest,
): Promise<BucketAccess | undefined> {
  if (bucket === undefined) return undefined
  const info = await store.buckets.head(bucket)
  return info.settings === undefined ? { owner: info.owner } : reader.read(store, info)
}

function checkOwner(expected: string | undefined, bucket: BucketAccess | undefined): void {
  if (expected !== undefined && bucket !== undefined && expected !== bucket.owner.id) throw accessDenied()
}
