import type { CorsRule } from '@varve/core'
import type { AnswerHeaders } from '../contract/answer.ts'
import type { CrossOriginRequest } from './match.ts'

/** The headers for the browser: everything that the rule allows, but only those allowed headers that were requested. */
export function corsHeaders(rule: CorsRule, { origin, headers }: CrossOriginRequest): AnswerHeaders {
  const isForAll = rule.allowedOrigins.includes('*')
  return {
    'access-control-allow-origin': isForAll ? '*' : origin,
    'access-control-allow-methods': rule.allowedMethods.join(', '),
    ...(headers.length > 0 && { 'access-control-allow-headers': headers.join(', ') }),
    ...(rule.exposeHeaders.length > 0 && { 'access-control-expose-headers': rule.exposeHeaders.join(', ') }),
    ...(rule.maxAgeSeconds !== undefined && { 'access-control-max-age': String(rule.maxAgeSeconds) }),
    // Browsers refuse `*` together with credentials.
    ...(!isForAll && { 'access-control-allow-credentials': 'true' }),
    ...varyByOrigin,
  }
}

/**
 * Tells caches which headers of a request the answer depends on. It belongs to every answer of a bucket with rules: a
 * cache must not give the answer to a request without an origin to a page of another origin.
 */
export const varyByOrigin: AnswerHeaders = {
  vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
}
