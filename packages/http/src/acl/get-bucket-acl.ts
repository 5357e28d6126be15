import { privateAcl } from '../access/acl.ts'
import { accessControlElements } from './access-control-policy.ts'
import { xmlAnswer } from '../contract/answer.ts'
import type { BucketOperation } from '../contract/operation.ts'

/** Where nobody ever set a list, everything is the owner's. */
export const getBucketAcl: BucketOperation = async ({ store, bucket, bucketAccess, people, options }) => {
  // What it says is what it says now, and as it was authorised.
  await store.buckets.head(bucket)
  const { owner, acl = privateAcl(owner.id), ownership } = bucketAccess
  const shown = ownership === 'BucketOwnerEnforced' ? privateAcl(owner.id) : acl
  return xmlAnswer('AccessControlPolicy', options.namespace, accessControlElements(shown, people.nameOf(owner)))
}
