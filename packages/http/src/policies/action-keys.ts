/**
 * Which condition keys of S3 a request for an action has. A key belongs to the permission, not to the request: the
 * prefix of a listing says nothing about an object that the same URL reads, and the ACL of a copy says nothing about
 * its source.
 */

import { type PolicyAction, policyActions, type S3Action } from './actions.ts'

/** Every request has these keys, and all `aws:` keys. */
export const everyRequestKeys = [
  's3:authtype',
  's3:resourceaccount',
  's3:signatureage',
  's3:signatureversion',
  's3:x-amz-content-sha256',
] as const

const acl = [
  's3:x-amz-acl',
  's3:x-amz-grant-full-control',
  's3:x-amz-grant-read',
  's3:x-amz-grant-read-acp',
  's3:x-amz-grant-write',
  's3:x-amz-grant-write-acp',
]
const retention = ['s3:object-lock-mode', 's3:object-lock-remaining-retention-days', 's3:object-lock-retain-until-date']
const requestTags = ['s3:requestobjecttag', 's3:requestobjecttagkeys']
const version = 's3:versionid'
const written = [
  ...acl,
  ...retention,
  ...requestTags,
  's3:object-lock-legal-hold',
  's3:x-amz-copy-source',
  's3:x-amz-metadata-directive',
  's3:x-amz-server-side-encryption',
  's3:x-amz-server-side-encryption-aws-kms-key-id',
  's3:x-amz-server-side-encryption-customer-algorithm',
  's3:x-amz-storage-class',
  's3:x-amz-website-redirect-location',
]
const listed = ['s3:prefix', 's3:delimiter', 's3:max-keys']

const own: Partial<Record<PolicyAction, readonly string[]>> = {
  's3:CreateBucket': [...acl, 's3:locationconstraint', 's3:x-amz-object-ownership'],
  's3:PutBucketAcl': acl,
  's3:ListBucket': listed,
  's3:ListBucketVersions': listed,
  's3:ListBucketMultipartUploads': ['s3:prefix', 's3:delimiter'],
  's3:PutObject': [...written, 's3:if-match', 's3:if-none-match', 's3:objectcreationoperation'],
  's3:PutObjectAcl': [...acl, 's3:x-amz-storage-class'],
  's3:PutObjectVersionAcl': [...acl, 's3:x-amz-storage-class', version],
  's3:PutObjectTagging': requestTags,
  's3:PutObjectVersionTagging': [...requestTags, version],
  's3:PutObjectRetention': [...retention, version],
  's3:PutObjectLegalHold': ['s3:object-lock-legal-hold', version],
  's3:BypassGovernanceRetention': [...written, version],
  's3:DeleteObject': ['s3:if-match'],
  's3:DeleteObjectVersion': ['s3:if-match', version],
  's3:GetObjectLegalHold': [version],
  's3:GetObjectRetention': [version],
  's3:GetObjectVersion': [version],
  's3:GetObjectVersionAcl': [version],
  's3:GetObjectVersionAttributes': [version],
  's3:GetObjectVersionTagging': [version],
  's3:DeleteObjectVersionTagging': [version],
}

/** Whether the action is about an object that may exist already: its conditions can use the object's tags. */
const onObjects = (action: PolicyAction): boolean =>
  /Object|MultipartUpload(?:Parts)?$|BypassGovernance/.test(action) && !/Bucket/.test(action)

const existingTag = 's3:existingobjecttag'

const keysByAction: ReadonlyMap<PolicyAction, ReadonlySet<string>> = new Map(
  policyActions.map((action) => [
    action,
    new Set([...(own[action] ?? []), ...(onObjects(action) ? [existingTag] : [])]),
  ]),
)

/**
 * The condition keys of the action beyond those of every request, in lower case. A family of tag keys is listed without
 * the tag name.
 */
export const keysOfAction = (action: S3Action): readonly string[] => [...(keysByAction.get(action) ?? [])]

/** `key` as `conditionKey` spells it. */
export function hasConditionKey(action: PolicyAction, key: string): boolean {
  if (key.startsWith('aws:') || everyRequest.has(key)) return true
  const slash = key.indexOf('/')
  return keysByAction.get(action)?.has(slash === -1 ? key : key.slice(0, slash)) === true
}

const everyRequest: ReadonlySet<string> = new Set(everyRequestKeys)
