/**
 * The claim of a presigned URL. Each of its parameters may occur once. In another letter case than S3's they are refused: the
 * signature does not cover the name of the parameter that contains it.
 */

import { checksumAlgorithms } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import type { QueryParams } from '../target/query-params.ts'
import { canonicalHeaderName } from '../target/request-headers.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { parseAmzDate } from '../headers/amz-date.ts'
import { algorithm } from './canonical-request.ts'
import { checkScopeDay, parseCredential, parseSignedHeaders } from './claim.ts'
import type { AcceptedRegions, ClaimError, SignatureClaim } from './claim.ts'
import { unsupportedSigV4A } from './unsupported.ts'

/** The longest validity of a presigned URL: 7 days. */
export const expiresSecondsMax = 604_800

export interface QueryClaimInput {
  readonly headers: RequestHeaders
  readonly query: QueryParams
  readonly regions: AcceptedRegions
}

/** True when any parameter of a presigned URL is present. */
export function hasQueryClaim(query: QueryParams): boolean {
  return query.entries.some(([name]) => telling.has(name.toLowerCase()))
}

const telling: ReadonlySet<string> = new Set(['x-amz-algorithm', 'x-amz-credential', 'x-amz-signature'])

/**
 * @throws S3Error `AuthorizationQueryParametersError`; `AccessDenied` for a validity that ended before it began;
 * `NotImplemented` for SigV4A; `InvalidRequest` for two payload hashes.
 */
export function queryClaim({ headers, query, regions }: QueryClaimInput): SignatureClaim {
  const fields = parseFields(query)
  if (fields.algorithm.startsWith('AWS4-ECDSA-P256-SHA256')) throw unsupportedSigV4A()
  if (fields.algorithm !== algorithm) throw malformed(`X-Amz-Algorithm only supports "${algorithm}"`)
  const { accessKeyId, scope } = parseCredential(fields.credential, regions, (reason, details) =>
    malformed(`Error parsing the X-Amz-Credential parameter; ${reason}`, details),
  )
  const time = parseAmzDate(fields.date)
  if (time === undefined) throw malformed("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"")
  checkScopeDay(scope, fields.date, malformed)
  return {
    presigned: true,
    accessKeyId,
    scope,
    amzDate: fields.date,
    time,
    signedHeaders: parseSignedHeaders(fields.signedHeaders, malformed),
    signature: fields.signature,
    payloadHash: payloadHash(fields.contentSha256, headers.single('x-amz-content-sha256')),
    sessionToken: fields.securityToken ?? headers.single('x-amz-security-token'),
    query: query.entries.filter(([name]) => name.toLowerCase() !== 'x-amz-signature'),
    expires: parseExpires(fields.expires),
  }
}

/**
 * Parameters that stand for headers: signers move `x-amz-…` headers into the URL. The signature covers them like any
 * other parameter. Names in lower case; values one byte per character, as in headers.
 *
 * Checksums are left out, as in S3: they are checksums of the body at the time of signing, which for common signers is
 * empty. S3 ignores them in such a URL too.
 */
export function hoistedHeaders(query: QueryParams): readonly (readonly [name: string, value: string])[] {
  return query.entries
    .map(([name, value]) => [name.toLowerCase(), Buffer.from(value, 'utf8').toString('latin1')] as const)
    .filter(([name]) => standsForHeader(canonicalHeaderName(name)))
}

function standsForHeader(name: string): boolean {
  return name.startsWith('x-amz-') && !ofTheSignature.has(name) && !ofTheSignedBody.has(name)
}

const ofTheSignedBody: ReadonlySet<string> = new Set([
  'x-amz-sdk-checksum-algorithm',
  'x-amz-trailer',
  'x-amz-checksum-mode',
  ...checksumAlgorithms.map((algorithm) => `x-amz-checksum-${algorithm.toLowerCase()}`),
])

const ofTheSignature: ReadonlySet<string> = new Set([
  'x-amz-algorithm',
  'x-amz-credential',
  'x-amz-date',
  'x-amz-expires',
  'x-amz-signature',
  'x-amz-signedheaders',
  'x-amz-security-token',
  'x-amz-content-sha256',
])

/** Signers move these two headers into the URL in spellings of their own, which the signature covers. */
const ofHeaders: ReadonlySet<string> = new Set(['x-amz-security-token', 'x-amz-content-sha256'])

const spelledAs = (lower: string): string =>
  lower === 'x-amz-signedheaders'
    ? 'X-Amz-SignedHeaders'
    : lower.replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase())

function parseFields(query: QueryParams) {
  const found = new Map<string, string>()
  for (const [name, value] of query.entries) {
    const lower = name.toLowerCase()
    if (!ofTheSignature.has(lower)) continue
    if (found.has(lower)) throw malformed(`The parameter ${name} was given more than once.`)
    const spelled = spelledAs(lower)
    if (name !== spelled && !ofHeaders.has(lower))
      throw malformed(`The parameter ${spelled} must be spelled like this.`)
    found.set(lower, value)
  }
  const required = (name: string): string => {
    const value = found.get(name)
    if (value !== undefined) return value
    throw malformed(
      'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, ' +
        'X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.',
    )
  }
  return {
    algorithm: required('x-amz-algorithm'),
    credential: required('x-amz-credential'),
    signature: required('x-amz-signature'),
    date: required('x-amz-date'),
    signedHeaders: required('x-amz-signedheaders'),
    expires: required('x-amz-expires'),
    securityToken: found.get('x-amz-security-token'),
    contentSha256: found.get('x-amz-content-sha256'),
  }
}

function parseExpires(text: string): number {
  if (!/^-?\d+$/.test(text)) throw malformed('X-Amz-Expires should be a number')
  const seconds = Number(text)
  if (seconds < 0) throw malformed('X-Amz-Expires must be non-negative')
  if (seconds < 1) throw new S3Error('AccessDenied', 'Request has expired', { details: { 'X-Amz-Expires': text } })
  if (seconds <= expiresSecondsMax) return seconds
  throw malformed(
    'X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds',
  )
}

/** The signature of a presigned URL covers the body only if the URL, or a signed header beside it, names a hash. */
function payloadHash(parameter: string | undefined, header: string | undefined): string {
  if (parameter !== undefined && header !== undefined && parameter !== header) {
    throw new S3Error('InvalidRequest', 'X-Amz-Content-Sha256 was given twice with different values.')
  }
  return parameter ?? header ?? 'UNSIGNED-PAYLOAD'
}

const malformed: ClaimError = (reason, details = {}) =>
  new S3Error('AuthorizationQueryParametersError', reason, { details })
