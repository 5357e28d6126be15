/**
 * Decides one permission by everything that can grant it: policies, then access control lists, and where needed the
 * object itself. The object is looked up only if nothing else has decided.
 */

import { shareOf } from '../addresses/share-of.ts'
import { type AccessControlList, type Actor, isStorageError, type Tag } from '@varve/core'
import { accessDenied } from '../errors/errors.ts'
import { absence } from './absence.ts'
import { turn } from '../turns/turn.ts'
import { aclAllows, type AclRule, aclRuleOf, privateAcl } from './acl.ts'
import type { PolicyAction } from '../policies/actions.ts'
import { type RequestContext, existingTagKey, requestKeys } from '../policies/condition-keys.ts'
import { type BucketAccess, decideAccess, type Decision } from './decide-access.ts'
import type { People } from './grantees.ts'
import type { Identity } from './identity.ts'
import { judgedObject, judgedTags, type ObjectReads } from './judged-object.ts'
import { local } from '../policies/local.ts'
import type { Permission } from '../policies/permission.ts'
import type { Policy } from '../policies/policy.ts'
import { policyKeys } from '../policies/policy-keys.ts'

/** The requester and the reads of the store. */
export interface AuthorisationRequest extends ObjectReads {
  readonly requestContext: RequestContext & { readonly identity: Identity | undefined }
  readonly people: People
}

/**
 * Returns the result synchronously if it needs no read.
 * @throws S3Error `AccessDenied`. A requester that may list can get `NoSuchKey` and the like.
 */
export function isAllowed(
  request: AuthorisationRequest,
  permission: Permission,
  bucket: BucketAccess | undefined,
): boolean | Promise<boolean> {
  if (awaitsBody(request, permission, bucket)) return true
  if (turn.isOver || isNamed(existingTagKey, request.requestContext.identity, bucket)) {
    return decideLater(request, permission, bucket)
  }
  return settle(decide(request, permission, bucket), request, permission, bucket)
}

/** Decides after other work had its turn, or after the tags of the object were read. */
async function decideLater(
  request: AuthorisationRequest,
  permission: Permission,
  bucket: BucketAccess | undefined,
): Promise<boolean> {
  const { address } = request.requestContext
  if (turn.isOver) await turn.next(shareOf(address))
  const all = await tagsFor(request, permission, bucket)
  for (const tags of all) {
    if (!(await settle(decide(request, permission, bucket, tags), request, permission, bucket))) return false
  }
  return true
}

/** The tags of the objects that the permission is about, if a policy has a condition on tags. */
export async function tagsFor(
  request: AuthorisationRequest,
  permission: Permission,
  bucket: BucketAccess | undefined,
): Promise<readonly (readonly Tag[] | undefined)[]> {
  const { identity } = request.requestContext
  return isNamed(existingTagKey, identity, bucket) ? judgedTags(request, permission) : [undefined]
}

/** The decision where ACLs or the object itself matter. */
function settle(
  decision: Decision,
  request: AuthorisationRequest,
  permission: Permission,
  bucket: BucketAccess | undefined,
): boolean | Promise<boolean> {
  if (decision === 'administrator') return true
  if (decision === 'denied' || bucket === undefined) return false
  if (decision === 'unsaid') return isOwnOrListed(request, permission, bucket)
  const rule = aclRuleOf(permission)
  return rule?.of !== 'object' || !mayBeShared(bucket) || isReached(request, { permission, bucket, rule })
}

/** A condition on a value of the body is evaluated after the body was read. */
const awaitsBody = (
  { requestContext }: AuthorisationRequest,
  { awaits }: Permission,
  bucket: BucketAccess | undefined,
): boolean => awaits?.some((key) => isNamed(key, requestContext.identity, bucket)) === true

/** Decides what no policy allows or denies: by ownership of objects and uploads, and by ACLs. */
async function isOwnOrListed(
  request: AuthorisationRequest,
  permission: Permission,
  bucket: BucketAccess,
): Promise<boolean> {
  const { identity } = request.requestContext
  if (isUnderPolicy(identity)) return false
  if (givesItsOwn(permission, identity)) return true
  const rule = aclRuleOf(permission)
  return rule === undefined ? isInitiator(request, permission) : isListed(request, { permission, bucket, rule })
}

/** An identity with a policy gets nothing by ownership or by ACLs. Only the policy of a bucket can allow it more. */
const isUnderPolicy = (identity: Identity | undefined): boolean => identity?.policy !== undefined

/** The creator of an object owns it and may give it an ACL, unless the bucket owner owns all objects. */
const givesItsOwn = ({ action, creates }: Permission, identity: Identity | undefined): boolean =>
  identity !== undefined && creates === true && action === 's3:PutObjectAcl'

/** Whether objects of other owners in the bucket are theirs. The bucket can have some though nothing lets them write now. */
const mayBeShared = ({ ownership }: BucketAccess): boolean => ownership !== 'BucketOwnerEnforced'

function decide(
  { requestContext }: AuthorisationRequest,
  permission: Permission,
  bucket: BucketAccess | undefined,
  tags?: readonly Tag[],
): Decision {
  const { identity } = requestContext
  const { action } = permission
  const keys = requestKeys(requestContext, { bucketOwner: bucket?.owner.id, permission, tags })
  return decideAccess({ identity, action, resource: permission, bucket, keys })
}

/** Whether an applicable policy names the key, or one of its family. */
const isNamed = (key: string, identity: Identity | undefined, bucket: BucketAccess | undefined): boolean =>
  names(identity?.policy, key) || names(identity?.session?.ceiling, key) || names(bucket?.policy, key)

const names = (policy: Policy | undefined, key: string): boolean => policy !== undefined && policyKeys(policy).has(key)

const uploadActions: ReadonlySet<PolicyAction> = new Set(['s3:AbortMultipartUpload', 's3:ListMultipartUploadParts'])

/** The initiator of an upload may list and abort it. */
async function isInitiator(
  { reads, requestContext }: AuthorisationRequest,
  { action, bucket, key }: Permission,
): Promise<boolean> {
  const { identity, query } = requestContext
  const uploadId = query.get('uploadId')
  if (!uploadActions.has(action) || identity === undefined || uploadId === undefined) return false
  if (bucket === undefined || key === undefined) return false
  try {
    return (await reads.uploads.head({ bucket, key, uploadId })).initiator.id === identity.id
  } catch (error) {
    if (isStorageError(error)) return false
    throw error
  }
}

interface AclQuestion {
  readonly permission: Permission
  readonly bucket: BucketAccess
  readonly rule: AclRule
}

/** Whether the ACL of the bucket or of the object allows it. */
async function isListed(request: AuthorisationRequest, question: AclQuestion): Promise<boolean> {
  const { bucket, rule, permission } = question
  if (bucket.ownership === 'BucketOwnerEnforced') return false
  if (rule.of === 'bucket') return isGrantedBy(request, question, bucket.acl ?? privateAcl(bucket.owner.id))
  const object = await judgedObject(request, permission).catch(async (error: unknown) => {
    // A requester that may list learns that the object does not exist; others do not.
    const { bucket: name = '', key: prefix = '' } = permission
    const mayList =
      isAbsence(error) && (await isAllowed(request, { action: 's3:ListBucket', bucket: name, prefix }, bucket))
    throw isAbsence(error) && !mayList ? accessDenied() : absence(error)
  })
  return isGrantedBy(request, question, object.acl)
}

/**
 * The permission of a bucket or its owner does not extend to objects that others own in it. Permissions that operators
 * gave do.
 */
async function isReached(request: AuthorisationRequest, question: AclQuestion): Promise<boolean> {
  const { permission, bucket } = question
  try {
    const { owner, acl } = await judgedObject(request, permission)
    if (owner.id === bucket.owner.id || isOperator(owner, request.people)) return true
    return isGrantedBy(request, question, acl)
  } catch (error) {
    if (isAbsence(error)) return true
    throw error
  }
}

/** Who may do everything has not written it for itself. */
const isOperator = ({ id }: Actor, people: People): boolean => id === local.id || people.byId(id)?.root === true

const isGrantedBy = (
  { requestContext }: AuthorisationRequest,
  { bucket, rule }: AclQuestion,
  acl: AccessControlList,
): boolean =>
  !isUnderPolicy(requestContext.identity) &&
  aclAllows(acl, rule.permission, {
    id: requestContext.identity?.id,
    ignoresPublic: bucket.publicAccessBlock?.ignorePublicAcls === true,
  })

const isAbsence = (error: unknown): boolean =>
  isStorageError(error, 'NoSuchKey', 'NoSuchVersion', 'MethodNotAllowed', 'InvalidArgument')
