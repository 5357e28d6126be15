/** Reads the ACL that a request sets, in headers or in a body, and checks whether the bucket accepts it. */

import type { AccessControlList } from '@varve/core'
import { publicAccessBlocked, S3Error } from '../errors/errors.ts'
import type { BucketContext } from '../contract/operation.ts'
import { readAccessControlPolicy, resolveAccessControlPolicy } from './access-control-policy.ts'
import { isPublicAcl } from '../access/acl.ts'
import type { BucketAccess } from '../access/decide-access.ts'
import { aclOfHeaders, type Owners, resolveAcl } from './grant-headers.ts'

const bytesMax = 64 * 1024

/**
 * The ACL of PutBucketAcl and PutObjectAcl.
 * @throws S3Error `MissingSecurityHeader` without an ACL, `UnexpectedContent` for a body beside headers, and the errors
 * of reading either
 */
export async function readAcl({ headers, body, people }: BucketContext, owners: Owners): Promise<AccessControlList> {
  const requested = aclOfHeaders(headers)
  const bytes = await body.small(bytesMax)
  if (requested === undefined && bytes.length === 0) {
    throw new S3Error('MissingSecurityHeader', 'Your request was missing a required header', {
      details: { MissingHeaderName: 'x-amz-acl' },
    })
  }
  if (requested !== undefined && bytes.length > 0) {
    throw new S3Error('UnexpectedContent', 'This request does not support content')
  }
  if (requested !== undefined) return resolveAcl(requested, owners, people)
  const { owner, bucketOwner } = owners
  return resolveAccessControlPolicy(readAccessControlPolicy(bytes), { owner, known: [bucketOwner], people })
}

/** @throws S3Error `AccessControlListNotSupported` if ACLs have no effect, `AccessDenied` if public ones are blocked */
export function checkAclAllowed({ ownership, publicAccessBlock }: BucketAccess, acl: AccessControlList): void {
  if (ownership === 'BucketOwnerEnforced') {
    throw new S3Error('AccessControlListNotSupported', 'The bucket does not allow ACLs')
  }
  if (publicAccessBlock?.blockPublicAcls === true && isPublicAcl(acl)) {
    throw publicAccessBlocked('ACLs', 'BlockPublicAcls')
  }
}
