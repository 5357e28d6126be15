/** Parses conditions on reads from headers. The store decides their precedence. */

import type { ReadConditions } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { strongEtags, weakEtags } from '../headers/etags.ts'
import { parseHttpDate } from '../headers/http-date.ts'

/** `If-…` of GET and HEAD. An invalid date is ignored, as HTTP requires, and so is a future `If-Modified-Since`. */
export function readConditions(headers: RequestHeaders, now?: Date): ReadConditions {
  return conditions(headers, ofRequest, now)
}

/**
 * `x-amz-copy-source-if-…` of copies. A copy writes, so an invalid date is refused. A future
 * `x-amz-copy-source-if-modified-since` is ignored, as S3 does.
 * @throws S3Error `InvalidArgument`
 */
export function copySourceConditions(headers: RequestHeaders, now?: Date): ReadConditions {
  checkDate(headers, sourceConditionHeaders.ifModifiedSince)
  checkDate(headers, sourceConditionHeaders.ifUnmodifiedSince)
  return conditions(headers, sourceConditionHeaders, now)
}

const ofRequest = {
  ifMatch: 'if-match',
  ifNoneMatch: 'if-none-match',
  ifModifiedSince: 'if-modified-since',
  ifUnmodifiedSince: 'if-unmodified-since',
} as const
/** The conditions of a copy on its source. */
export const sourceConditionHeaders = {
  ifMatch: 'x-amz-copy-source-if-match',
  ifNoneMatch: 'x-amz-copy-source-if-none-match',
  ifModifiedSince: 'x-amz-copy-source-if-modified-since',
  ifUnmodifiedSince: 'x-amz-copy-source-if-unmodified-since',
} as const

function conditions(headers: RequestHeaders, names: Names, now: Date | undefined): ReadConditions {
  const match = headers.get(names.ifMatch)
  const noneMatch = headers.get(names.ifNoneMatch)
  const modifiedSince = headers.get(names.ifModifiedSince)
  const unmodifiedSince = headers.get(names.ifUnmodifiedSince)
  if ((match ?? noneMatch ?? modifiedSince ?? unmodifiedSince) === undefined) return noConditions
  const ifModifiedSince = date(modifiedSince)
  const ifUnmodifiedSince = date(unmodifiedSince)
  return {
    ...(match !== undefined && { ifMatch: strongEtags(match) }),
    ...(noneMatch !== undefined && { ifNoneMatch: weakEtags(noneMatch) }),
    ...(ifModifiedSince !== undefined && ifModifiedSince <= (now ?? new Date()) && { ifModifiedSince }),
    ...(ifUnmodifiedSince !== undefined && { ifUnmodifiedSince }),
  }
}

type Names = typeof ofRequest | typeof sourceConditionHeaders

const noConditions: ReadConditions = {}

function checkDate(headers: RequestHeaders, name: string): void {
  const value = headers.get(name)
  if (value === undefined || parseHttpDate(value) !== undefined) return
  throw new S3Error('InvalidArgument', `${name} is not a valid date.`, {
    details: { ArgumentName: name, ArgumentValue: value.slice(0, 256) },
  })
}

function date(header: string | undefined): Date | undefined {
  return header === undefined ? undefined : parseHttpDate(header)
}
