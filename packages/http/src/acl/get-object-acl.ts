import { privateAcl } from '../access/acl.ts'
import { annotatedHeaders } from '../objects/annotated-version.ts'
import { explainReadError } from '../objects/read-errors.ts'
import { accessControlElements } from './access-control-policy.ts'
import { xmlAnswer } from '../contract/answer.ts'
import type { ObjectOperation } from '../contract/operation.ts'

export const getObjectAcl: ObjectOperation = async (context) => {
  const { store, bucket, key, versionId, bucketAccess, people, options, client } = context
  const which = { ...(versionId !== undefined && { versionId }), signal: client.signal }
  const annotated = await store.objects.annotations(bucket, key, which).catch(explainReadError(context))
  const { owner, acl } = annotated
  const enforced = bucketAccess.ownership === 'BucketOwnerEnforced'
  const shown = enforced || acl === undefined ? privateAcl(owner.id) : acl
  return xmlAnswer('AccessControlPolicy', options.namespace, accessControlElements(shown, people.nameOf(owner)), {
    headers: await annotatedHeaders(context, annotated),
  })
}
