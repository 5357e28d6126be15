import type { Expiration, UploadInfo } from '@varve/core'
import type { AnswerHeaders } from '../contract/answer.ts'
import { formatHttpDate } from '../headers/http-date.ts'

/** When the lifecycle rules of the bucket expire the object, and by which rule. */
export function expirationHeader({ expiration }: { readonly expiration?: Expiration }): AnswerHeaders {
  if (expiration === undefined) return {}
  const { date, ruleId } = expiration
  return { 'x-amz-expiration': `expiry-date="${formatHttpDate(date)}", rule-id="${encodeURIComponent(ruleId)}"` }
}

/** When the lifecycle rules of the bucket abort the upload, and by which rule. */
export function abortHeaders({ expiration }: Pick<UploadInfo, 'expiration'>): AnswerHeaders {
  if (expiration === undefined) return {}
  const { date, ruleId } = expiration
  return { 'x-amz-abort-date': formatHttpDate(date), 'x-amz-abort-rule-id': encodeURIComponent(ruleId) }
}
