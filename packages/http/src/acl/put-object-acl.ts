import { isStorageError } from '@varve/core'
import { isPrivateAcl } from '../access/acl.ts'
import { checkAclAllowed, readAcl } from './put-acl.ts'
import { S3Error } from '../errors/errors.ts'
import { annotatedHeaders } from '../objects/annotated-version.ts'
import { emptyAnswer } from '../contract/answer.ts'
import type { ObjectOperation } from '../contract/operation.ts'

/** Of a version that stays the one it is, under the owner it has. */
export const putObjectAcl: ObjectOperation = async (context) => {
  const { store, bucket, key, versionId, bucketAccess, client } = context
  const which = { ...(versionId !== undefined && { versionId }), signal: client.signal }
  const { owner } = await store.objects.annotations(bucket, key, which).catch(explainMarker)
  const acl = await readAcl(context, { owner: owner.id, bucketOwner: bucketAccess.owner.id })
  checkAclAllowed(bucketAccess, acl)
  const annotation = isPrivateAcl(acl) ? ({ kind: 'acl' } as const) : ({ kind: 'acl', value: acl } as const)
  const annotated = await store.objects.annotate(bucket, key, annotation, which).catch(explainMarker)
  return emptyAnswer(200, await annotatedHeaders(context, annotated))
}

/** A delete marker has no ACL, whether it was named or is the newest. */
function explainMarker(error: unknown): never {
  const isMarker = isStorageError(error, 'MethodNotAllowed') || isStorageError(error, 'NoSuchKey')
  if (isMarker && (error.code === 'MethodNotAllowed' || error.details['DeleteMarker'] === true)) {
    throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.', {
      details: { Method: 'PUT', ResourceType: 'DeleteMarker' },
    })
  }
  throw error
}
