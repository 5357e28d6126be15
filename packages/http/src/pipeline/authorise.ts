/**
 * May they? Decided on the parsed subject that the operation then acts on. A bucket that does not exist is `NoSuchBucket`
 * to anyone, as in S3: names are shared by all, so that is no secret.
 */

import type { AnnotatedVersion, Authorisation } from '@varve/core'
import type { AssumedVersion } from '../access/assumptions.ts'
import type { BucketAccess } from '../access/decide-access.ts'
import { type AccessRequest, RequestAuthorisation } from './request-authorisation.ts'
import type { Permission } from '../contract/operation.ts'

export type { AccessRequest } from './request-authorisation.ts'

/** The answers to further questions about the buckets of a request. */
export interface Access {
  /** The command of the request is refused when what was allowed here is not allowed any more. */
  allows(permission: Permission): Promise<boolean>
  /**
   * The access settings of the bucket of the request. Without a bucket, and for a new one: owned by the requester. The command of the request is refused when
   * a field that was read here has changed.
   */
  readonly bucketAccess: BucketAccess
  /** Reads a version on which the answer depends: the command of the request is refused when the version or its annotations changed. */
  assume(version: AssumedVersion): Promise<AnnotatedVersion>
}

export interface Authorised extends Access {
  /** What the store compares with. */
  readonly authorisation: Authorisation
}

/** @throws StorageError `NoSuchBucket`; S3Error `AccessDenied`, and `NoSuchKey` and its kin to those who may list. */
export async function authorise(request: AccessRequest): Promise<Authorised> {
  const authorisation = new RequestAuthorisation(request)
  await authorisation.begin()
  return {
    authorisation,
    allows: (permission) => authorisation.allows(permission),
    bucketAccess: authorisation.bucketAccess,
    assume: (version) => authorisation.assume(version),
  }
}
