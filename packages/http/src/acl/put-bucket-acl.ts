import { isPrivateAcl } from '../access/acl.ts'
import { checkAclAllowed, readAcl } from './put-acl.ts'
import { emptyAnswer } from '../contract/answer.ts'
import type { BucketOperation } from '../contract/operation.ts'

/** The list that every bucket has at first is the absence of any. */
export const putBucketAcl: BucketOperation = async (context) => {
  const {
    store,
    bucket,
    bucketAccess: said,
    client: { signal },
  } = context
  const acl = await readAcl(context, { owner: said.owner.id, bucketOwner: said.owner.id })
  checkAclAllowed(said, acl)
  if (isPrivateAcl(acl)) await store.buckets.settings.remove(bucket, 'Acl', { signal })
  else await store.buckets.settings.put(bucket, 'Acl', acl, { signal })
  return emptyAnswer()
}
