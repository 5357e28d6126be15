/**
 * Refuses headers and subresources that change the meaning of a request and that the operation would otherwise ignore.
 * A `DELETE …?tagging` must never delete the object.
 */

import { S3Error } from '../errors/errors.ts'
import type { QueryParams } from '../target/query-params.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { canonicalHeaderName } from '../target/request-headers.ts'
import type { BuiltRow, OperationRow, UnbuiltRow } from '../contract/operation.ts'
import { forkSourceHeader } from '../buckets/fork-source.ts'
import { copySourceHeaders } from '../object-operations/copy-source.ts'
import { commonHeaders, harmlessHeaders, screenedHeaders } from '../contract/screening.ts'
import type { ScreenedHeader } from '../contract/screening.ts'
import { operations } from './table.ts'

type SignatureVersion = 'AWS' | 'AWS4-HMAC-SHA256'

export interface ScreenedRequest {
  readonly query: QueryParams
  readonly headers: RequestHeaders
  /**
   * The version of the signature of a presigned URL, absent for other requests. The `x-amz-…` parameters of such a URL are
   * its signature, or headers that are checked as headers.
   */
  readonly presignedBy?: SignatureVersion | undefined
}

/**
 * @throws S3Error `InvalidArgument` for a parameter of other operations, or one that is there twice; `NotImplemented` for an unknown one; for a
 * header `NotImplemented`, or the code of `screening.ts`.
 */
export function screen(row: BuiltRow, { query, headers, presignedBy }: ScreenedRequest): void {
  const { taken, rules } = screenOf(row)
  const signature = presignedBy && ofTheSignature[presignedBy]
  for (const [name, value] of query.entries) {
    if (taken.has(name)) {
      assertOnce(query, name)
      continue
    }
    if (isHarmless(row, name, value)) continue
    if (signature?.test(name) !== true) throw misplaced(row, name, value)
    checkDigest(name, value, headers)
  }
  for (const sent of headers.names) {
    const name = canonicalHeaderName(sent)
    const rule = rules.get(name) ?? (isOurs(name) ? { header: name } : 'accepted')
    if (rule !== 'accepted') screenHeader(rule, headers)
  }
}

/** Also for parameters that only choose the operation, of which no handler reads the value. @throws S3Error */
function assertOnce(query: QueryParams, name: string): void {
  query.get(name)
}

/** The parameters that a row accepts, and what it does with each known header. */
interface Screen {
  readonly taken: ReadonlySet<string>
  readonly rules: ReadonlyMap<string, ScreenedHeader | 'accepted'>
}

const screens = new WeakMap<BuiltRow, Screen>()

function screenOf(row: BuiltRow): Screen {
  const known = screens.get(row)
  if (known !== undefined) return known
  const rules = new Map<string, ScreenedHeader | 'accepted'>()
  for (const rule of screenedHeaders) {
    if (rule.ignoredByReads !== true || !isRead(row)) rules.set(rule.header, rule)
  }
  for (const header of [...commonHeaders, ...harmlessHeaders, ...understoodBy(row)]) rules.set(header, 'accepted')
  const made = { taken: takenBy(row), rules }
  screens.set(row, made)
  return made
}

/** The headers that an operation reads itself. */
export const understoodBy = (row: BuiltRow): readonly string[] => [
  ...(row.understands ?? []),
  ...('copySource' in row && row.copySource === true ? copySourceHeaders : []),
  ...('takesForkSource' in row ? [forkSourceHeader] : []),
]

const isRead = ({ method }: BuiltRow): boolean => method === 'GET' || method === 'HEAD'

/** Whether only S3 or Varve could mean something by this name. User metadata has any name. */
const isOurs = (name: string): boolean =>
  (name.startsWith('x-amz-') && !name.startsWith('x-amz-meta-')) || name.startsWith('x-varve-')

/** @throws S3Error */
function screenHeader({ header, harmless, code, message }: ScreenedHeader, headers: RequestHeaders): void {
  const value = headers.get(header)
  if (value === undefined || harmless?.includes(value.trim().toLowerCase())) return
  throw new S3Error(
    code ?? 'NotImplemented',
    message ?? 'A header you provided implies functionality that is not implemented',
    { details: { Header: header } },
  )
}

/**
 * A parameter that names a subresource of some operation is refused on all others. Other parameters that an operation
 * does not take are ignored only where that is harmless: on reads, and with a value, so that they cannot be a future
 * subresource. `x-id` is the name of the operation that some clients send; `table.ts` needs it once.
 */
function isHarmless(row: BuiltRow, name: string, value: string): boolean {
  return isRead(row) && value !== '' && !subresources.has(name) && !isMisspelt(name)
}

/** Whether a known parameter differs only in case: ignoring `versionid` would show another version than was meant. */
function isMisspelt(name: string): boolean {
  const known = spellings.get(name.toLowerCase())
  return known !== undefined && known !== name
}

function takenBy({ params = [], when: { query = [] } }: Pick<BuiltRow, 'params' | 'when'>): ReadonlySet<string> {
  return new Set([...params, ...query.map((wanted) => (typeof wanted === 'string' ? wanted : wanted[0])), 'x-id'])
}

/** The error for a request of an operation that is not built. */
export function unbuiltError(row: UnbuiltRow, { entries }: QueryParams): S3Error {
  const taken = takenBy(row)
  const other = entries.find(([name]) => choosing.has(name) && !taken.has(name))
  return (other && conflict(row, other[0])) ?? new S3Error('NotImplemented', `${row.name} is not implemented.`)
}

function misplaced(row: BuiltRow, name: string, value: string): S3Error {
  const details = { ArgumentName: name, ArgumentValue: value.slice(0, 256) }
  if (name === 'versionId') {
    return new S3Error('InvalidArgument', 'This operation does not accept a version-id.', { details })
  }
  const conflicting = choosing.has(name) ? conflict(row, name) : undefined
  if (conflicting !== undefined) return conflicting
  if (builtParameters.has(name)) {
    return new S3Error('InvalidArgument', `${row.name} does not accept the parameter ${name}.`, { details })
  }
  return new S3Error('NotImplemented', 'A query you provided implies functionality that is not implemented', {
    details: { Query: name },
  })
}

/** The error for a parameter that chooses another operation; `undefined` if no parameter chose this one. */
function conflict({ when: { query = [] } }: Pick<OperationRow, 'when'>, name: string): S3Error | undefined {
  const own = query.find((wanted) => typeof wanted === 'string')
  if (own === undefined) return undefined
  return new S3Error('InvalidArgument', `Conflicting query string parameters: ${own}, ${name}`, {
    details: { ArgumentName: 'ResourceType', ArgumentValue: own },
  })
}

/** Clients add the last three to URLs, in spellings of their own, beside headers of these names. The header counts. */
const ofTheSignature: Readonly<Record<SignatureVersion, RegExp>> = {
  AWS: /^(?:[xX]-(?:[aA][mM][zZ]|[sS][vV][cC])-.*|AWSAccessKeyId|Expires|Signature|[cC]ontent-(?:[tT]ype|[mM][dD]5)|[cC]ache-[cC]ontrol)$/,
  'AWS4-HMAC-SHA256': /^(?:x-(?:amz|svc)-.*|content-type|content-md5|cache-control)$/i,
}

/** A digest that was signed with the URL must be that of the body, which only the header is compared with. */
function checkDigest(name: string, value: string, headers: RequestHeaders): void {
  if (name.toLowerCase() !== 'content-md5' || headers.get('content-md5') === value) return
  throw new S3Error('InvalidRequest', 'The Content-MD5 of a presigned URL must be sent as a header, too.', {
    details: { ArgumentName: name, ArgumentValue: value.slice(0, 256) },
  })
}

/** Parameters that choose an operation, and those that only operations that are not built have. */
export const subresources: ReadonlySet<string> = new Set(
  operations
    .flatMap(({ when: { query = [] }, handler, params = [] }) =>
      handler === undefined ? [...query, ...params] : query,
    )
    .flatMap((wanted) => (typeof wanted === 'string' ? [wanted] : []))
    .filter((name) => name !== 'id')
    .concat('versionId'),
)

/** The parameters of the operations that are built. */
const builtParameters: ReadonlySet<string> = new Set(
  operations.flatMap((row) => (row.handler === undefined ? [] : [...takenBy(row)])),
)

/** All parameters of all operations, by their names in lower case. */
const spellings: ReadonlyMap<string, string> = new Map(
  operations.flatMap((row) => [...takenBy(row)]).map((name) => [name.toLowerCase(), name]),
)

/** The first parameter that chooses an operation: two of them contradict each other. */
const choosing: ReadonlySet<string> = new Set(
  operations.flatMap(({ when: { query = [] } }) => query.slice(0, 1).filter((wanted) => typeof wanted === 'string')),
)
