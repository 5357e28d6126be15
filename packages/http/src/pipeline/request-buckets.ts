/** The buckets that a request names, as one read has them, and what they say about the request as a whole. */

import type { Actor, ReadSet, RequestStore, Seq } from '@varve/core'
import { accessDenied, S3Error } from '../errors/errors.ts'
import type { Permission, Subject } from '../contract/operation.ts'
import type { PolicyAction } from '../policies/actions.ts'
import type { AuthorisationRequest } from '../access/is-allowed.ts'
import type { JudgedBuckets, ReadBucket } from '../access/judged-buckets.ts'
import { isLookedBack, lookBack, type LookedBack } from '../access/looked-back.ts'
import { mightAllowAnonymous } from '../access/might-allow-anonymous.ts'

export interface AccessRequest extends Omit<AuthorisationRequest, 'reads' | 'readsAt'> {
  /** The store that authorisation reads. */
  readonly store: Pick<RequestStore, 'tracking' | 'at'>
  readonly subject: Subject
  readonly permissions: readonly Permission[]
  /**
   * The actions that each key needs; they are decided when the body is known. An anonymous request is refused now if
   * none of them could be allowed. A signed request gets an answer for each key, as from S3.
   */
  readonly later: readonly PolicyAction[]
  /** The actor. */
  readonly by: Actor
  readonly buckets: JudgedBuckets
  /** The command annotates the version that the subject names, and must not annotate another version. */
  readonly ofVersion?: boolean
}

type Read = ReadBucket | LookedBack

export interface RequestBuckets {
  /** Absent if the request names no bucket. */
  readonly own: Read | undefined
  /** The bucket of the source of a copy, or of a fork. */
  readonly source: Read | undefined
  readonly readSet: ReadSet
}

/**
 * Checks the expected bucket owners, who pays, and whether an anonymous request could be allowed any of the later actions.
 * Returns synchronously if the bucket is known and there is no other, which is so for most requests.
 * @throws StorageError `NoSuchBucket`; S3Error `AccessDenied`, `NotImplemented`
 */
export function judgeBuckets(request: AccessRequest): RequestBuckets | Promise<RequestBuckets> {
  const { subject, permissions, by } = request
  const isMade = permissions.some(isCreation)
  const own = isMade ? madeBy(by) : known(request, subject)
  if (own === undefined || sourceIn(subject) !== undefined) return readBuckets(request, isMade, own)
  return judged(request, { isMade, own, source: undefined })
}

async function readBuckets(
  request: AccessRequest,
  isMade: boolean,
  found: ReadBucket | undefined,
): Promise<RequestBuckets> {
  const { subject } = request
  const own = found ?? (await read(request, subject))
  const from = sourceIn(subject)
  if (from === undefined) return judged(request, { isMade, own, source: undefined })
  const source = isSameBucket(from, subject) ? own : (known(request, from) ?? (await read(request, from)))
  return judged(request, { isMade, own, source })
}

function judged(
  { later, requestContext, by }: AccessRequest,
  { isMade, own, source }: Pick<RequestBuckets, 'own' | 'source'> & { readonly isMade: boolean },
): RequestBuckets {
  checkOwner(requestContext, 'x-amz-expected-bucket-owner', isMade ? undefined : own)
  checkOwner(requestContext, 'x-amz-source-expected-bucket-owner', source)
  checkPayer(requestContext, own)
  checkPayer(requestContext, source)
  const { access } = (own ?? madeBy(by)).bucket
  if (later.length > 0 && requestContext.identity === undefined && !mightAllowAnonymous(later, access))
    throw accessDenied()
  return { own, source, readSet: readSetOf(own, source) }
}

/** The bucket that a permission is about. */
export function bucketOf(permission: Permission, subject: Subject, { own, source }: RequestBuckets): Read | undefined {
  if (isSameBucket(permission, subject)) return own
  const from = sourceIn(subject)
  return from !== undefined && isSameBucket(permission, from) ? source : undefined
}

/** @throws S3Error `NoSuchBucket` for the past of a bucket that the requester does not see */
export function assertSeen(bucket: Read | undefined): void {
  if (bucket === undefined || !isLookedBack(bucket) || bucket.past !== undefined) return
  throw new S3Error('NoSuchBucket', 'The specified bucket does not exist')
}

interface NamedBucket {
  readonly bucket?: string
  readonly at?: Seq
}

const sourceIn = ({ source, forkSource }: Subject): NamedBucket | undefined => source ?? forkSource

const isSameBucket = (one: NamedBucket, other: NamedBucket): boolean =>
  one.bucket === other.bucket && one.at === other.at

function known({ buckets }: AccessRequest, { bucket, at }: NamedBucket): ReadBucket | undefined {
  return bucket === undefined || at !== undefined ? undefined : buckets.known(bucket)
}

async function read(
  { buckets, store, requestContext }: AccessRequest,
  { bucket, at }: NamedBucket,
): Promise<Read | undefined> {
  if (bucket === undefined) return undefined
  if (at === undefined) return buckets.read(store, bucket)
  return lookBack(buckets, store, { bucket, at }, requestContext.identity)
}

const isCreation = ({ action }: Permission): boolean => action === 's3:CreateBucket'

/** The creator of a bucket owns it. */
const madeBy = (owner: Actor): ReadBucket => ({
  bucket: { access: { owner }, settings: undefined },
  readSet: [],
  isFresh: () => true,
})

function readSetOf(own: Read | undefined, source: Read | undefined): ReadSet {
  if (source === undefined || source === own) return own?.readSet ?? []
  return [...(own?.readSet ?? []), ...source.readSet]
}

/** @throws S3Error `AccessDenied`; `NotImplemented` if the request has no bucket that could have this owner */
function checkOwner({ headers }: Paying, header: string, bucket: Read | undefined): void {
  const expected = headers.get(header)
  if (expected === undefined) return
  if (bucket === undefined) {
    throw new S3Error('NotImplemented', 'A header you provided implies functionality that is not implemented', {
      details: { Header: header },
    })
  }
  if (expected !== bucket.bucket.access.owner.id) throw accessDenied()
}

type Paying = Pick<AccessRequest['requestContext'], 'identity' | 'headers'>

/** Whether the requester pays for the request to the bucket. Its owner and root do not. */
export function isCharged({ identity }: Pick<Paying, 'identity'>, bucket: Read | undefined): boolean {
  const { access } = bucket?.bucket ?? {}
  return access?.requesterPays === true && identity?.root !== true && identity?.id !== access.owner.id
}

function checkPayer(paying: Paying, bucket: Read | undefined): void {
  if (!isCharged(paying, bucket)) return
  const { identity, headers } = paying
  if (identity === undefined || headers.get('x-amz-request-payer') !== 'requester') throw requesterPays()
}

const requesterPays = (): S3Error =>
  new S3Error(
    'AccessDenied',
    'The bucket is a Requester Pays bucket: sign the request and send the header x-amz-request-payer: requester.',
  )
