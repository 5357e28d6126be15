/**
 * Refuses what an operation would otherwise ignore to the client's harm: headers and subresources that mean something
 * else than what would be done. A `DELETE …?tagging` must never delete the object.
 */

import { S3Error } from '../errors/errors.ts'
import type { QueryParams } from '../target/query-params.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { canonicalHeaderName } from '../target/request-headers.ts'
import type { BuiltRow } from '../contract/operation.ts'
import { screenedHeaders } from '../contract/screening.ts'
import type { ScreenedHeader } from '../contract/screening.ts'
import { operations } from './table.ts'

export interface ScreenedRequest {
  readonly query: QueryParams
  readonly headers: RequestHeaders
  /** Then `x-amz-…` parameters are its signature, and headers that are looked at as such. */
  readonly presigned: boolean
}

/** @throws S3Error `NotImplemented`, or the code of `screening.ts`; `InvalidArgument` for a version id that has no place. */
export function screen(row: BuiltRow, { query, headers, presigned }: ScreenedRequest): void {
  const { taken, rules } = screenOf(row)
  for (const [name, value] of query.entries) {
    if (!taken.has(name) && !isHarmless(row, name, value) && !(presigned && ofTheSignature.test(name))) {
      throw misplaced(name, value)
    }
  }
  const names = headers.names.map(canonicalHeaderName)
  for (const rule of rules) {
    if (rule.family === undefined) screenHeader(rule, rule.header, headers)
    else for (const name of names) if (name.startsWith(rule.header)) screenHeader(rule, name, headers)
  }
}

/** What a row lets pass, and what it must not. */
interface Screen {
  readonly taken: ReadonlySet<string>
  readonly rules: readonly ScreenedHeader[]
}

const screens = new Map<BuiltRow, Screen>()

function screenOf(row: BuiltRow): Screen {
  const known = screens.get(row)
  if (known !== undefined) return known
  const rules = screenedHeaders.filter(({ header }) => row.understands?.includes(header) !== true)
  const made = { taken: takenBy(row), rules }
  screens.set(row, made)
  return made
}

function screenHeader(rule: ScreenedHeader, name: string, headers: RequestHeaders): void {
  const value = headers.get(name)
  if (value === undefined || rule.harmless?.includes(value.trim().toLowerCase())) return
  throw new S3Error(
    rule.code ?? 'NotImplemented',
    rule.message ?? 'A header you provided implies functionality that is not implemented',
    { details: { Header: name } },
  )
}

/**
 * Parameters that name a subresource somewhere are refused anywhere else. Others that an operation does not take are
 * passed over only where that can do no harm: on reads, and with a value, so that they cannot be a subresource to come.
 * `x-id` is the name some clients give what they do; `table.ts` needs it once.
 */
function isHarmless({ method }: BuiltRow, name: string, value: string): boolean {
  return (method === 'GET' || method === 'HEAD') && value !== '' && !subresources.has(name)
}

function takenBy({ params = [], when: { query = [] } }: BuiltRow): ReadonlySet<string> {
  return new Set([...params, ...query.map((wanted) => (typeof wanted === 'string' ? wanted : wanted[0])), 'x-id'])
}

function misplaced(name: string, value: string): S3Error {
  if (name === 'versionId') {
    return new S3Error('InvalidArgument', 'This operation does not accept a version-id.', {
      details: { ArgumentName: name, ArgumentValue: value },
    })
  }
  return new S3Error('NotImplemented', 'A query you provided implies functionality that is not implemented', {
    details: { Query: name },
  })
}

/** The last two are what some clients add to URLs that V2 signs: headers that have to be sent with them. */
const ofTheSignature = /^(?:x-(?:amz|svc)-.*|AWSAccessKeyId|Expires|Signature|content-md5|content-type)$/i

/** Parameters that choose an operation. */
export const subresources: ReadonlySet<string> = new Set(
  operations
    .flatMap(({ when }) => when.query ?? [])
    .flatMap((wanted) => (typeof wanted === 'string' ? [wanted] : []))
    .filter((name) => name !== 'id')
    .concat('versionId'),
)
