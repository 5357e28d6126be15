/** Parses conditions on reads from headers. The store decides their precedence. */

import type { ReadConditions } from '@varve/core'
import type { RequestHeaders } from '../target/request-headers.ts'
import { strongEtags, weakEtags } from '../headers/etags.ts'
import { parseHttpDate } from '../headers/http-date.ts'

/** `If-…` of GET and HEAD. An invalid date is ignored, as HTTP requires, and so is a future `If-Modified-Since`. */
export function readConditions(headers: RequestHeaders, now = new Date()): ReadConditions {
  return conditions(headers, ofRequest, now)
}

/** `x-amz-copy-source-if-…` of copies. */
export function copySourceConditions(headers: RequestHeaders, now = new Date()): ReadConditions {
  return conditions(headers, ofSource, now)
}

const ofRequest = {
  ifMatch: 'if-match',
  ifNoneMatch: 'if-none-match',
  ifModifiedSince: 'if-modified-since',
  ifUnmodifiedSince: 'if-unmodified-since',
} as const
const ofSource = {
  ifMatch: 'x-amz-copy-source-if-match',
  ifNoneMatch: 'x-amz-copy-source-if-none-match',
  ifModifiedSince: 'x-amz-copy-source-if-modified-since',
  ifUnmodifiedSince: 'x-amz-copy-source-if-unmodified-since',
} as const

function conditions(headers: RequestHeaders, names: typeof ofRequest | typeof ofSource, now: Date): ReadConditions {
  const ifMatch = headers.get(names.ifMatch)
  const ifNoneMatch = headers.get(names.ifNoneMatch)
  const ifModifiedSince = date(headers.get(names.ifModifiedSince))
  const ifUnmodifiedSince = date(headers.get(names.ifUnmodifiedSince))
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
