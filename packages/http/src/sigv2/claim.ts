/** The fields of a V2 signature, before any of them is verified. */

import { isHeaderName } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import { parseAmzDate, parseHttpDate } from '../headers/amz-date.ts'
import type { QueryParams } from '../target/query-params.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { givenTwice } from './string-to-sign.ts'

export type V2Claim = {
  readonly accessKeyId: string
  /** As sent; it may not even be base64. */
  readonly signature: string
} & (
  | {
      readonly presigned: false
      /** As sent. */
      readonly date: string
      /** The time of `date`, in milliseconds. */
      readonly time: number
    }
  | {
      readonly presigned: true
      /** As sent, since it is part of the string to sign. */
      readonly expires: string
      /** The time of `expires`, in milliseconds. */
      readonly expiry: number
      /** Headers that the URL carries as parameters: names in lower case, values one byte per character. */
      readonly hoisted: readonly (readonly [name: string, value: string])[]
    }
)

export const isV2Header = (authorization: string): boolean =>
  authorization.startsWith('AWS ') || authorization === 'AWS'

/** True when any parameter that only a V2 URL has is present. */
export function hasV2QueryClaim(query: QueryParams): boolean {
  return query.has('Signature') || query.has('AWSAccessKeyId')
}

/**
 * Reads `AWS AKID:signature`.
 * @throws S3Error `InvalidArgument` for another form; `AccessDenied` without a usable date.
 */
export function v2HeaderClaim(authorization: string, headers: RequestHeaders): V2Claim {
  const [, accessKeyId = '', signature = ''] = /^AWS +([^ ]+):([^: ]+) *$/.exec(authorization) ?? []
  if (accessKeyId === '') {
    throw new S3Error('InvalidArgument', 'AWS authorization header is invalid.  Expected AwsAccessKeyId:signature', {
      details: { ArgumentName: 'Authorization' },
    })
  }
  const date = headers.single('x-amz-date') ?? headers.single('date') ?? ''
  const time = parseHttpDate(date) ?? parseAmzDate(date)
  if (time === undefined) {
    throw new S3Error('AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header')
  }
  return { presigned: false, accessKeyId, signature, date, time }
}

/**
 * Reads `AWSAccessKeyId`, `Expires` and `Signature`: all three, each once.
 * @throws S3Error `AccessDenied` for one that is missing, or an invalid time; `InvalidArgument` for one given twice.
 */
export function v2QueryClaim(query: QueryParams): V2Claim {
  const [accessKeyId, expires, signature] = ['AWSAccessKeyId', 'Expires', 'Signature'].map((name) => query.get(name))
  if (!accessKeyId || !signature || expires === undefined) {
    throw new S3Error(
      'AccessDenied',
      'Query-string authentication requires the Signature, Expires and AWSAccessKeyId parameters',
    )
  }
  const hoisted = vendorParameters(query)
  return { presigned: true, accessKeyId, signature, expires, expiry: expiryOf(expires), hoisted }
}

/** The last second of the year 9999: an answer cannot name a later time. */
const lastSecond = 253_402_300_799

function expiryOf(expires: string): number {
  const seconds = /^\d{1,15}$/.test(expires) ? Number(expires) : Number.NaN
  if (seconds <= lastSecond) return seconds * 1000
  throw new S3Error('AccessDenied', `Invalid date (should be seconds since epoch): ${expires.slice(0, 64)}`)
}

/**
 * Parameters that stand for headers. Letter case does not matter and each may occur once. No value may look like the
 * line of another header in the signed text.
 */
function vendorParameters(query: QueryParams): readonly (readonly [string, string])[] {
  const found = new Map<string, string>()
  for (const [name, value] of query.entries) {
    const lower = name.toLowerCase()
    if (!/^x-(?:amz|svc)-/.test(lower)) continue
    if (found.has(lower)) throw givenTwice(name)
    if (!isHeaderName(lower) || controls.test(value)) {
      throw new S3Error(
        'InvalidArgument',
        'A parameter that stands for a header has a name or value no header can have.',
      )
    }
    found.set(lower, Buffer.from(value, 'utf8').toString('latin1'))
  }
  return [...found]
}

const controls = /[\x00-\x1f\x7f]/
