/** The access control list that a new object is to have. */

import type { AccessControlList } from '@varve/core'
import { isPrivateAcl } from '../access/acl.ts'
import { aclOfHeaders, type AskedAcl, type Owners, resolveAcl } from './grant-headers.ts'
import { checkAclAllowed } from './put-acl.ts'
import type { ObjectContext } from '../contract/operation.ts'

/** @throws S3Error for lists that are none, or that the bucket does not take */
export function aclOption({ headers, by, people, bucketAccess }: ObjectContext): { readonly acl?: AccessControlList } {
  const asked = aclOfHeaders(headers)
  if (asked === undefined) return {}
  const owners = { owner: by.id, bucketOwner: bucketAccess.owner.id }
  // What holds in such a bucket anyway may be said.
  if (bucketAccess.ownership === 'BucketOwnerEnforced' && saysNothingNew(asked, owners)) return {}
  const acl = resolveAcl(asked, owners, people)
  checkAclAllowed(bucketAccess, acl)
  return isPrivateAcl(acl) ? {} : { acl }
}

function saysNothingNew(asked: AskedAcl, owners: Owners): boolean {
  if ('grants' in asked) {
    return asked.grants.every(({ to, permission }) => permission === 'FULL_CONTROL' && to.value === owners.bucketOwner)
  }
  const { canned } = asked
  return canned === 'bucket-owner-full-control' || (canned === 'private' && owners.owner === owners.bucketOwner)
}
