/** The ACL of a new object. */

import type { AccessControlList } from '@varve/core'
import { isPrivateAcl } from '../access/acl.ts'
import { aclOfHeaders, type RequestedAcl, type Owners, resolveAcl } from './grant-headers.ts'
import { checkAclAllowed } from './put-acl.ts'
import type { ObjectContext } from '../contract/operation.ts'

/** @throws S3Error for an invalid ACL, or one that the bucket does not accept */
export function aclOption({ headers, by, people, bucketAccess }: ObjectContext): { readonly acl?: AccessControlList } {
  const requested = aclOfHeaders(headers)
  if (requested === undefined) return {}
  const owners = { owner: by.id, bucketOwner: bucketAccess.owner.id }
  // An ACL that equals the default is accepted.
  if (bucketAccess.ownership === 'BucketOwnerEnforced' && isDefaultAcl(requested, owners)) return {}
  const acl = resolveAcl(requested, owners, people)
  checkAclAllowed(bucketAccess, acl)
  return isPrivateAcl(acl) ? {} : { acl }
}

function isDefaultAcl(requested: RequestedAcl, owners: Owners): boolean {
  if ('grants' in requested) {
    return requested.grants.every(
      ({ to, permission }) => permission === 'FULL_CONTROL' && to.value === owners.bucketOwner,
    )
  }
  const { canned } = requested
  return canned === 'bucket-owner-full-control' || (canned === 'private' && owners.owner === owners.bucketOwner)
}
