import { isPrivateAcl } from '../access/acl.ts'
import { checkAclAllowed, readAcl } from './put-acl.ts'
import { emptyAnswer } from '../contract/answer.ts'
import type { BucketOperation } from '../contract/operation.ts'

/** Setting the default ACL removes the stored one. */
export const putBucketAcl: BucketOperation = async (context) => {
  const {
    store,
    bucket,
    bucketAccess: access,
    client: { signal },
  } = context
  const acl = await readAcl(context, { owner: access.owner.id, bucketOwner: access.owner.id })
  checkAclAllowed(access, acl)
  if (isPrivateAcl(acl)) await store.buckets.settings.remove(bucket, 'Acl', { signal })
  else await store.buckets.settings.put(bucket, 'Acl', acl, { signal })
  return emptyAnswer()
}
