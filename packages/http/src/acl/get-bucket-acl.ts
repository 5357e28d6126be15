import { privateAcl } from '../access/acl.ts'
import { accessControlElements } from './access-control-policy.ts'
import { xmlAnswer } from '../contract/answer.ts'
import type { BucketOperation } from '../contract/operation.ts'

/** Without an ACL, the owner has full control. */
export const getBucketAcl: BucketOperation = async ({ store, bucket, bucketAccess, people, options }) => {
  // Reads the bucket again, so that the settings are those that were authorised.
  await store.buckets.head(bucket)
  const { owner, acl = privateAcl(owner.id), ownership } = bucketAccess
  const shown = ownership === 'BucketOwnerEnforced' ? privateAcl(owner.id) : acl
  return xmlAnswer('AccessControlPolicy', options.namespace, accessControlElements(shown, people.nameOf(owner)))
}
