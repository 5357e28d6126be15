/** The settings of a new bucket, from its headers and from the operator's defaults. */

import type { SettingValues } from '@varve/core'
import { grantsToOthers, isPrivateAcl, isPublicAcl } from '../access/acl.ts'
import { aclOfHeaders, resolveAcl } from '../acl/grant-headers.ts'
import { S3Error } from '../errors/errors.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { objectOwnership } from '../bucket-settings/ownership-controls.ts'
import type { BucketContext } from '../contract/operation.ts'

const closed = {
  ownership: 'BucketOwnerEnforced',
  block: { blockPublicAcls: true, ignorePublicAcls: true, blockPublicPolicy: true, restrictPublicBuckets: true },
} as const

/** @throws S3Error for invalid ACLs and words, and for an ACL where the bucket does not accept one */
export function newBucketSettings(context: BucketContext): Partial<SettingValues> {
  const isClosed = context.options.bucketDefaults === 'closed'
  const ownership = ownershipOf(context.headers) ?? (isClosed ? closed.ownership : undefined)
  const acl = aclOf(context)
  if (acl !== undefined && ownership === 'BucketOwnerEnforced' && grantsToOthers(acl)) {
    throw new S3Error(
      'InvalidBucketAclWithObjectOwnership',
      "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting",
    )
  }
  if (acl !== undefined && isClosed && isPublicAcl(acl)) {
    throw new S3Error(
      'InvalidBucketAclWithBlockPublicAccessError',
      'Bucket cannot have public ACLs set with BlockPublicAccess enabled',
    )
  }
  return {
    ...(acl !== undefined && { Acl: acl }),
    ...(ownership !== undefined && { Ownership: ownership }),
    ...(isClosed && { PublicAccessBlock: closed.block }),
  }
}

function aclOf({ headers, by, people }: BucketContext) {
  const requested = aclOfHeaders(headers)
  if (requested === undefined) return undefined
  const acl = resolveAcl(requested, { owner: by.id, bucketOwner: by.id }, people)
  return isPrivateAcl(acl) ? undefined : acl
}

function ownershipOf(headers: RequestHeaders) {
  const name = 'x-amz-object-ownership'
  const word = headers.single(name)
  if (word === undefined) return undefined
  const ownership = objectOwnership(word)
  if (ownership !== undefined) return ownership
  throw new S3Error('InvalidArgument', `Invalid ${name} header: ${word}`, { details: { ArgumentName: name } })
}
