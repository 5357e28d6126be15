/** Headers of what is said of an object besides its metadata. S3 shows them to those who may ask for each. */

import type { ObjectInfo } from '@varve/core'
import type { S3Action } from '../access/actions.ts'
import type { AnswerHeaders } from '../operations/answer.ts'
import type { ObjectContext } from '../operations/operation.ts'

const none: AnswerHeaders = {}

export async function saidHeaders(context: ObjectContext, info: ObjectInfo): Promise<AnswerHeaders> {
  const { tagCount, retention, legalHold } = info
  if (tagCount === undefined && retention === undefined && legalHold === undefined) return none
  const { bucket, key, versionId } = context
  const may = async (action: S3Action) => context.allows({ action, bucket, key })
  const readsTags = versionId === undefined ? 's3:GetObjectTagging' : 's3:GetObjectVersionTagging'
  return {
    ...(tagCount !== undefined && (await may(readsTags)) && { 'x-amz-tagging-count': String(tagCount) }),
    ...(retention !== undefined &&
      (await may('s3:GetObjectRetention')) && {
        'x-amz-object-lock-mode': retention.mode,
        'x-amz-object-lock-retain-until-date': new Date(retention.until).toISOString(),
      }),
    ...(legalHold !== undefined &&
      (await may('s3:GetObjectLegalHold')) && { 'x-amz-object-lock-legal-hold': legalHold }),
  }
}
