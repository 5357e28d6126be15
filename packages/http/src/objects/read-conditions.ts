/** Conditions on reading, from headers. Which beats which is the store's to say; here they are only understood. */

import type { ReadConditions } from '@varve/core'
import type { RequestHeaders } from '../target/request-headers.ts'
import { strongEtags, weakEtags } from './etags.ts'
import { parseHttpDate } from './http-date.ts'

/** `If-…` of GET and HEAD. What is no date is ignored, as HTTP wants it, and so is an `If-Modified-Since` of tomorrow. */
export function readConditions(headers: RequestHeaders, now = new Date()): ReadConditions {
  return conditions(headers, '', now)
}

/** `x-amz-copy-source-if-…` of copies. */
export function copySourceConditions(headers: RequestHeaders, now = new Date()): ReadConditions {
  return conditions(headers, 'x-amz-copy-source-', now)
}

function conditions(headers: RequestHeaders, prefix: string, now: Date): ReadConditions {
  const ifMatch = headers.get(`${prefix}if-match`)
  const ifNoneMatch = headers.get(`${prefix}if-none-match`)
  const ifModifiedSince = date(headers.get(`${prefix}if-modified-since`))
  const ifUnmodifiedSince = date(headers.get(`${prefix}if-unmodified-since`))
  return {
    ...(ifMatch !== undefined && { ifMatch: strongEtags(ifMatch) }),
    ...(ifNoneMatch !== undefined && { ifNoneMatch: weakEtags(ifNoneMatch) }),
    ...(ifModifiedSince !== undefined && ifModifiedSince <= now && { ifModifiedSince }),
    ...(ifUnmodifiedSince !== undefined && { ifUnmodifiedSince }),
  }
}

function date(header: string | undefined): Date | undefined {
  return header === undefined ? undefined : parseHttpDate(header)
}
