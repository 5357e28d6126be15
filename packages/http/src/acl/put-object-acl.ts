import { isStorageError } from '@varve/core'
import { isPrivateAcl } from '../access/acl.ts'
import { checkAclAllowed, readAcl } from './put-acl.ts'
import { S3Error } from '../errors/errors.ts'
import { annotatedHeaders } from '../objects/annotated-version.ts'
import { emptyAnswer } from '../contract/answer.ts'
import type { ObjectOperation } from '../contract/operation.ts'

/** Sets the ACL of a version. The command is refused if the version or its owner changed meanwhile. */
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

/** A delete marker has no ACL, whether the request names it or it is the newest version. */
function explainMarker(error: unknown): never {
  const isMarker = isStorageError(error, 'MethodNotAllowed') || isStorageError(error, 'NoSuchKey')
  if (isMarker && (error.code === 'MethodNotAllowed' || error.details['DeleteMarker'] === true)) {
    throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.', {
      details: { Method: 'PUT', ResourceType: 'DeleteMarker' },
    })
  }
  throw error
}
