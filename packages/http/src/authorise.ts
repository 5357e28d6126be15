/**
 * May they? Decided on the parsed subject that the operation then acts on. A bucket that does not exist is `NoSuchBucket`
 * to anyone with credentials, as in S3: names are shared by all, so that is no secret.
 */

import type { RequestStore } from '@varve/core'
import { isAllowed } from './access/evaluate.ts'
import type { Identity } from './access/identity.ts'
import { S3Error } from './errors.ts'
import type { Permission, Subject } from './operations/operation.ts'
import type { RequestHeaders } from './target/request-headers.ts'

export interface AccessRequest {
  readonly store: RequestStore
  readonly identity: Identity
  readonly subject: Subject
  readonly permissions: readonly Permission[]
  readonly headers: RequestHeaders
}

export type Allows = (permission: Permission) => boolean

/**
 * Resolves to the answer for further questions about the same buckets.
 * @throws StorageError `NoSuchBucket`; S3Error `AccessDenied`.
 */
export async function authorise({ store, identity, subject, permissions, headers }: AccessRequest): Promise<Allows> {
  const owners = new Map<string, string>()
  const creates = permissions.some(({ action }) => action === 's3:CreateBucket')
  for (const bucket of [subject.bucket, subject.source?.bucket]) {
    if (bucket === undefined || creates || owners.has(bucket)) continue
    owners.set(bucket, (await store.buckets.head(bucket)).owner.id)
  }
  checkOwner(headers.get('x-amz-expected-bucket-owner'), owners.get(subject.bucket ?? ''))
  checkOwner(headers.get('x-amz-source-expected-bucket-owner'), owners.get(subject.source?.bucket ?? ''))
  const allows: Allows = (permission) => {
    const bucketOwner = owners.get(permission.bucket ?? '')
    return isAllowed({ identity, action: permission.action, resource: permission, bucketOwner })
  }
  if (!permissions.every(allows)) throw accessDenied()
  return allows
}

export function accessDenied(): S3Error {
  return new S3Error('AccessDenied', 'Access Denied')
}

function checkOwner(expected: string | undefined, owner: string | undefined): void {
  if (expected !== undefined && owner !== undefined && expected !== owner) throw accessDenied()
}
