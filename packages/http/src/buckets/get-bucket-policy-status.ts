import { isPublicAcl } from '../access/acl.ts'
import { isPublicPolicy } from '../policies/policy-status.ts'
import { element } from '../xml/write.ts'
import { xmlAnswer } from '../contract/answer.ts'
import type { BucketOperation } from '../contract/operation.ts'

/** A bucket that says nothing is not public; one is as well by its list, where lists count. */
export const getBucketPolicyStatus: BucketOperation = async ({ store, bucket, bucketAccess, options }) => {
  // What it says is what it says now, and as it was authorised.
  await store.buckets.head(bucket)
  const { policy, acl, ownership, publicAccessBlock } = bucketAccess
  const listCounts = ownership !== 'BucketOwnerEnforced' && publicAccessBlock?.ignorePublicAcls !== true
  const isPublic =
    (policy !== undefined && isPublicPolicy(policy)) || (acl !== undefined && listCounts && isPublicAcl(acl))
  return xmlAnswer('PolicyStatus', options.namespace, [element('IsPublic', isPublic)])
}
