/**
 * One permission, asked of everything that can give it: policies, then access control lists, and where it matters the
 * object itself. The object is looked up only where nothing before it has settled the question.
 */

import { type AccessControlList, type Actor, isStorageError, type RequestStore } from '@varve/core'
import { S3Error } from '../errors.ts'
import { absence } from '../objects/read-errors.ts'
import type { Permission } from '../operations/operation.ts'
import { turn } from '../turns/turn.ts'
import { aclAllows, type AclRule, aclRules, privateAcl } from './acl.ts'
import type { S3Action } from './actions.ts'
import { type Asked, requestKeys } from './condition-keys.ts'
import { type BucketAccess, decideAccess } from './decide-access.ts'
import type { People } from './grantees.ts'
import type { Identity } from './identity.ts'
import { isAboutTags } from './compiled-policy.ts'
import type { Policy } from './policy.ts'

/** Who asks, and of what store. */
export interface AskedStore {
  readonly store: RequestStore
  readonly asked: Asked & { readonly identity: Identity | undefined }
  readonly people: People
}

/** @throws S3Error `AccessDenied`, and `NoSuchKey` and its kin to those who may list */
export async function isAllowed(
  request: AskedStore,
  permission: Permission,
  bucket: BucketAccess | undefined,
): Promise<boolean> {
  const decision = await decide(request, permission, bucket)
  if (decision === 'administrator') return true
  if (decision === 'denied' || bucket === undefined) return false
  const rule = aclRules[permission.action]
  if (rule === undefined) return decision !== 'unsaid' || isInitiator(request, permission)
  const question = { permission, bucket, rule }
  if (decision === 'unsaid') return isListed(request, question)
  return rule.of !== 'object' || !isShared(bucket) || isReached(request, question)
}

/** Can anything here be others', or theirs to have? Nobody else writes to a bucket that lets nobody else in. */
export const isShared = ({ policy, acl, ownership }: BucketAccess): boolean =>
  policy !== undefined || (acl !== undefined && ownership !== 'BucketOwnerEnforced')

async function decide(request: AskedStore, permission: Permission, bucket: BucketAccess | undefined) {
  const { asked } = request
  const { identity } = asked
  const { action, prefix } = permission
  if (turn.isOver) await turn.next()
  const asksTags = namesTags(identity?.policy) || namesTags(bucket?.policy)
  const tags = asksTags ? await tagsOf(request, permission) : undefined
  const keys = requestKeys(asked, { bucketOwner: bucket?.owner.id, prefix, tags })
  return decideAccess({ identity, action, resource: permission, bucket, keys })
}

const namesTags = (policy: Policy | undefined): boolean => policy !== undefined && isAboutTags(policy)

async function tagsOf({ store }: AskedStore, { bucket, key, versionId }: Permission) {
  if (bucket === undefined || key === undefined) return undefined
  try {
    return (await store.objects.annotations(bucket, key, versionId === undefined ? {} : { versionId })).tags
  } catch (error) {
    if (isStorageError(error)) return undefined
    throw error
  }
}

const uploadActions: ReadonlySet<S3Action> = new Set(['s3:AbortMultipartUpload', 's3:ListMultipartUploadParts'])

/** Whoever began an upload may look at it and give it up. */
async function isInitiator({ store, asked }: AskedStore, { action, bucket, key }: Permission): Promise<boolean> {
  const { identity, query } = asked
  const uploadId = query.get('uploadId')
  if (!uploadActions.has(action) || identity === undefined || uploadId === undefined) return false
  if (bucket === undefined || key === undefined) return false
  try {
    return (await store.uploads.head({ bucket, key, uploadId })).initiator.id === identity.id
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

/** Does the access control list of bucket or object allow it? */
async function isListed(request: AskedStore, question: AclQuestion): Promise<boolean> {
  const { bucket, rule, permission } = question
  if (bucket.ownership === 'BucketOwnerEnforced') return false
  if (rule.of === 'bucket') return says(request, question, bucket.acl ?? privateAcl(bucket.owner.id))
  const object = await objectOf(request, permission).catch(async (error: unknown) => {
    // Who may list learns that there is nothing; others do not.
    const { bucket: name = '', key: prefix = '' } = permission
    const mayList =
      isAbsence(error) && (await isAllowed(request, { action: 's3:ListBucket', bucket: name, prefix }, bucket))
    throw isAbsence(error) && !mayList ? new S3Error('AccessDenied', 'Access Denied') : absence(error)
  })
  return says(request, question, object.acl)
}

/** What a bucket and its owner allow does not reach what others own in it. What operators wrote is not meant. */
async function isReached(request: AskedStore, question: AclQuestion): Promise<boolean> {
  const { permission, bucket } = question
  if (bucket.ownership === 'BucketOwnerEnforced') return true
  try {
    const { owner, acl } = await objectOf(request, permission)
    if (owner.id === bucket.owner.id || request.people.byId(owner.id)?.root === true) return true
    return says(request, question, acl)
  } catch (error) {
    if (isAbsence(error)) return true
    throw error
  }
}

const says = ({ asked }: AskedStore, { bucket, rule }: AclQuestion, acl: AccessControlList): boolean =>
  aclAllows(acl, rule.permission, {
    id: asked.identity?.id,
    ignoresPublic: bucket.publicAccessBlock?.ignorePublicAcls === true,
  })

const isAbsence = (error: unknown): boolean =>
  isStorageError(error, 'NoSuchKey', 'NoSuchVersion', 'MethodNotAllowed', 'InvalidArgument')

async function objectOf(
  { store }: AskedStore,
  { bucket = '', key = '', versionId }: Permission,
): Promise<{ readonly owner: Actor; readonly acl: AccessControlList }> {
  const { owner, acl } = await store.objects.annotations(bucket, key, versionId === undefined ? {} : { versionId })
  return { owner, acl: acl ?? privateAcl(owner.id) }
}
