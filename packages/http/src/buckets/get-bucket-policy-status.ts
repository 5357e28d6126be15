import { isPublicAcl } from '../access/acl.ts'
import { isPublicPolicy } from '../policies/policy-status.ts'
import { element } from '../xml/write.ts'
import { xmlAnswer } from '../contract/answer.ts'
import type { BucketOperation } from '../contract/operation.ts'

/** A bucket without a policy is not public. Where ACLs have effect, an ACL can make it public too. */
export const getBucketPolicyStatus: BucketOperation = async ({ store, bucket, bucketAccess, options }) => {
  // Reads the bucket again, so that the settings are those that were authorised.
  await store.buckets.head(bucket)
  const { policy, acl, ownership, publicAccessBlock } = bucketAccess
  const listCounts = ownership !== 'BucketOwnerEnforced' && publicAccessBlock?.ignorePublicAcls !== true
  const isPublic =
    (policy !== undefined && isPublicPolicy(policy)) || (acl !== undefined && listCounts && isPublicAcl(acl))
  return xmlAnswer('PolicyStatus', options.namespace, [element('IsPublic', isPublic)])
}
