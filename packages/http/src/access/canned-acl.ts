/** Canned ACLs. */

import type { AccessControlList, AclGroup, AclPermission, Grant } from '@varve/core'
import { fullControl, privateAcl } from './acl.ts'

const names = [
  'private',
  'public-read',
  'public-read-write',
  'authenticated-read',
  'aws-exec-read',
  'bucket-owner-read',
  'bucket-owner-full-control',
  'log-delivery-write',
] as const

export type CannedAcl = (typeof names)[number]

/** Returns the canned ACL of this name. Case matters, as in S3. */
export const cannedAcl = (word: string): CannedAcl | undefined => names.find((name) => name === word)

const toGroup = (group: AclGroup, permission: AclPermission): Grant => ({ grantee: { group }, permission })

/** The grants of a canned ACL. The owner of an object can differ from the owner of its bucket. */
export function cannedGrants(
  word: CannedAcl,
  { owner, bucketOwner }: { readonly owner: string; readonly bucketOwner: string },
): AccessControlList {
  const also = (...grants: readonly Grant[]): AccessControlList => ({ owner, grants: [fullControl(owner), ...grants] })
  switch (word) {
    case 'private':
    // The service that reads machine images does not exist here.
    case 'aws-exec-read':
      return privateAcl(owner)
    case 'public-read':
      return also(toGroup('AllUsers', 'READ'))
    case 'public-read-write':
      return also(toGroup('AllUsers', 'READ'), toGroup('AllUsers', 'WRITE'))
    case 'authenticated-read':
      return also(toGroup('AuthenticatedUsers', 'READ'))
    case 'log-delivery-write':
      return also(toGroup('LogDelivery', 'WRITE'), toGroup('LogDelivery', 'READ_ACP'))
    case 'bucket-owner-read':
      return owner === bucketOwner ? privateAcl(owner) : also({ grantee: { id: bucketOwner }, permission: 'READ' })
    case 'bucket-owner-full-control':
      return owner === bucketOwner ? privateAcl(owner) : also(fullControl(bucketOwner))
  }
}
