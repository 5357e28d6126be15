/**
 * Decides whether the requester may do what it requests. The decision is about the parsed subject that the operation
 * then acts on. A bucket that does not exist gives `NoSuchBucket` to every requester, as in S3: all users share the
 * bucket names, so this reveals nothing secret.
 */

import type { AnnotatedVersion, Authorisation } from '@varve/core'
import type { AssumedVersion } from '../access/assumptions.ts'
import type { BucketAccess } from '../access/decide-access.ts'
import { RequestAuthorisation } from './request-authorisation.ts'
import type { AccessRequest } from './request-buckets.ts'
import type { Permission } from '../contract/operation.ts'

export type { AccessRequest } from './request-buckets.ts'

/** Answers further questions about the buckets of a request. */
export interface Access {
  /** Checks a further permission. The command of the request is refused if the result changes before it commits. */
  allows(permission: Permission): Promise<boolean>
  /**
   * The access settings of the bucket of the request. Without a bucket, and for a new one, the requester is the owner.
   * The command of the request is refused when a field that was read here has changed.
   */
  readonly bucketAccess: BucketAccess
  /** Reads a version on which the answer depends. The command is refused if the version or its annotations changed. */
  assume(version: AssumedVersion): Promise<AnnotatedVersion>
}

export interface Authorised extends Access {
  /** The store compares this with the state that it reads or commits to. */
  readonly authorisation: Authorisation
  /** Whether the requester pays. */
  readonly isCharged: boolean
  /** `undefined` if no bucket was read. */
  readonly hasCorsRules: boolean | undefined
}

/**
 * At once, if no row has to be read for it.
 * @throws StorageError `NoSuchBucket`; S3Error `AccessDenied`. A requester that may list can get `NoSuchKey` and the
 * like.
 */
export function authorise(request: AccessRequest): Authorised | Promise<Authorised> {
  const authorisation = new RequestAuthorisation(request)
  const beginning = authorisation.begin()
  return beginning === undefined ? authorised(authorisation) : beginning.then(() => authorised(authorisation))
}

const authorised = (authorisation: RequestAuthorisation): Authorised => ({
  authorisation,
  isCharged: authorisation.isCharged,
  hasCorsRules: authorisation.hasCorsRules,
  allows: (permission) => authorisation.allows(permission),
  bucketAccess: authorisation.bucketAccess,
  assume: (version) => authorisation.assume(version),
})
