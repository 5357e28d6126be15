import type { Expiration } from '@varve/core'
import type { AnswerHeaders } from '../contract/answer.ts'
import { formatHttpDate } from '../headers/http-date.ts'

/** When the lifecycle rules of the bucket expire the object, and by which rule. */
export function expirationHeader({ expiration }: { readonly expiration?: Expiration }): AnswerHeaders {
  if (expiration === undefined) return {}
  const { date, ruleId } = expiration
  return { 'x-amz-expiration': `expiry-date="${formatHttpDate(date)}", rule-id="${encodeURIComponent(ruleId)}"` }
}
