/** Decides by access control lists (ACLs), and maps S3 actions to the permissions of ACLs. */

import type { AccessControlList, AclGroup, AclPermission, Grant } from '@varve/core'
import type { PolicyAction } from '../policies/actions.ts'
import { anonymous } from '../policies/anonymous.ts'
import type { Permission } from '../policies/permission.ts'

/** The ACL that decides about an action, of the bucket or of the object, and the permission that it must grant. */
export interface AclRule {
  readonly of: 'bucket' | 'object'
  readonly permission: Exclude<AclPermission, 'FULL_CONTROL'>
}

const on = (of: AclRule['of'], permission: AclRule['permission']): AclRule => ({ of, permission })

/** Actions that no ACL can allow are absent. */
const aclRules: Partial<Record<PolicyAction, AclRule>> = {
  's3:ListBucket': on('bucket', 'READ'),
  's3:ListBucketMultipartUploads': on('bucket', 'READ'),
  's3:ListBucketVersions': on('bucket', 'READ'),
  's3:PutObject': on('bucket', 'WRITE'),
  's3:DeleteObject': on('bucket', 'WRITE'),
  's3:GetBucketAcl': on('bucket', 'READ_ACP'),
  's3:PutBucketAcl': on('bucket', 'WRITE_ACP'),
  's3:GetObject': on('object', 'READ'),
  's3:GetObjectVersion': on('object', 'READ'),
  's3:GetObjectAcl': on('object', 'READ_ACP'),
  's3:GetObjectVersionAcl': on('object', 'READ_ACP'),
  's3:PutObjectAcl': on('object', 'WRITE_ACP'),
  's3:PutObjectVersionAcl': on('object', 'WRITE_ACP'),
}

/** The ACL options of a request that creates an object. */
const creationRules: Partial<Record<PolicyAction, AclRule>> = {
  's3:PutObjectAcl': on('bucket', 'WRITE'),
  's3:PutObjectTagging': on('bucket', 'WRITE'),
}

export const aclRuleOf = ({ action, creates }: Pick<Permission, 'action' | 'creates'>): AclRule | undefined =>
  creates === true ? creationRules[action] : aclRules[action]

export interface AclReader {
  /** Absent for a request without credentials, which the anonymous user makes. */
  readonly id: string | undefined
  /** True: grants to all users, to all authenticated users and to the anonymous user have no effect. */
  readonly ignoresPublic: boolean
}

/** The owner may always read and write the ACL. The anonymous user owns what requests without credentials wrote. */
export function aclAllows(
  { owner, grants }: AccessControlList,
  permission: AclPermission,
  { id, ignoresPublic }: AclReader,
): boolean {
  if (id === undefined && ignoresPublic) return false
  const reader = id ?? anonymous.id
  if (reader === owner && permission.endsWith('_ACP')) return true
  return grants.some((grant) => {
    if (grant.permission !== permission && grant.permission !== 'FULL_CONTROL') return false
    if ('id' in grant.grantee) return grant.grantee.id === reader
    return !ignoresPublic && includes(grant.grantee.group, id)
  })
}

/** The log delivery group has no member, since that service does not exist here. */
function includes(group: AclGroup, id: string | undefined): boolean {
  switch (group) {
    case 'AllUsers':
      return true
    case 'AuthenticatedUsers':
      return id !== undefined
    case 'LogDelivery':
      return false
  }
}

/** The default ACL: full control for the owner. */
export const privateAcl = (owner: string): AccessControlList => ({ owner, grants: [fullControl(owner)] })

export const fullControl = (id: string): Grant => ({ grantee: { id }, permission: 'FULL_CONTROL' })

/** Whether an ACL equals the default that applies without an ACL. */
export const isPrivateAcl = ({ owner, grants: [first, ...others] }: AccessControlList): boolean =>
  others.length === 0 &&
  first !== undefined &&
  first.permission === 'FULL_CONTROL' &&
  'id' in first.grantee &&
  first.grantee.id === owner

/** Whether the ACL grants something to others than the owner. */
export const grantsToOthers = ({ owner, grants }: AccessControlList): boolean =>
  grants.some(({ grantee }) => !('id' in grantee) || grantee.id !== owner)

const isPublicGrant = ({ grantee }: Grant): boolean =>
  'group' in grantee && (grantee.group === 'AllUsers' || grantee.group === 'AuthenticatedUsers')

export const isPublicAcl = ({ grants }: AccessControlList): boolean => grants.some(isPublicGrant)
