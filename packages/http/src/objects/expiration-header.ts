import type { Expiration } from '@varve/core'
import type { AnswerHeaders } from '../contract/answer.ts'
import { formatHttpDate } from '../headers/http-date.ts'

/** When an object goes by the rules of its bucket, and by which. */
export function expirationHeader({ expiration }: { readonly expiration?: Expiration }): AnswerHeaders {
  if (expiration === undefined) return {}
  const { date, ruleId } = expiration
  return { 'x-amz-expiration': `expiry-date="${formatHttpDate(date)}", rule-id="${encodeURIComponent(ruleId)}"` }
}
