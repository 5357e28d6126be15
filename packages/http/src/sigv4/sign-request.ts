/** The client's side: requests and URLs that `verifyRequest`, and S3, will take. */

import { parseQuery } from '../target/query-params.ts'
import { percentEncode } from '../target/percent.ts'
import { formatAmzDate } from './amz-date.ts'
import { algorithm, canonicalQuery, canonicalRequest, stringToSign } from './canonical-request.ts'
import { hmacHex } from './digests.ts'
import { expiresSecondsMax } from './query-claim.ts'
import { deriveSigningKey, scopeText } from './signing-keys.ts'
import type { SignatureSeed } from './verification.ts'

export type HeaderPairs = readonly (readonly [name: string, value: string])[]

export interface RequestToSign {
  readonly method: string
  /** Percent-encoded, as it will be sent: see `encodePath`. */
  readonly rawPath: string
  /** Without `?`. @default '' */
  readonly rawQuery?: string
  /** All that will be sent and must not change on the way; `host` is required. Values one byte per character. */
  readonly headers: HeaderPairs
}

export interface SigningOptions {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  readonly region: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface SignedRequest extends SignatureSeed {
  /** The headers given, plus the date, the payload hash, the token if any, and `authorization`. */
  readonly headers: HeaderPairs
  /** What was signed: for people who compare. */
  readonly canonicalRequest: string
}

/**
 * Signs a request by its headers.
 * @param payloadHash Hex SHA-256 of the body, or one of the words of `x-amz-content-sha256`.
 * @throws TypeError without a `host` header.
 */
export function signRequest(
  request: RequestToSign,
  { payloadHash, ...options }: SigningOptions & { readonly payloadHash: string },
): SignedRequest {
  const amzDate = formatAmzDate(options.now)
  const headers: HeaderPairs = [
    ...request.headers,
    ['x-amz-date', amzDate],
    ['x-amz-content-sha256', payloadHash],
    ...(options.sessionToken === undefined ? [] : [['x-amz-security-token', options.sessionToken] as const]),
  ]
  const signed = sign(request, { headers, query: parseQuery(request.rawQuery ?? '').entries, payloadHash }, options)
  const authorization =
    `${algorithm} Credential=${options.accessKeyId}/${signed.scope}, ` +
    `SignedHeaders=${signed.signedHeaders.join(';')}, Signature=${signed.seedSignature}`
  return { ...signed, headers: [...headers, ['authorization', authorization]] }
}

/**
 * Signs a URL; whoever has it may send the request, with the same headers, until it expires. Returns the raw query.
 * The body is left open unless `headers` hold an `x-amz-content-sha256`.
 * @param expiresSeconds 1 to 604,800.
 * @throws TypeError without a `host` header; RangeError for another life time.
 */
export function presign(
  request: RequestToSign,
  { expiresSeconds, ...options }: SigningOptions & { readonly expiresSeconds: number },
): { readonly rawQuery: string; readonly signature: string } {
  if (!Number.isInteger(expiresSeconds) || expiresSeconds < 1 || expiresSeconds > expiresSecondsMax) {
    throw new RangeError(`expiresSeconds is a whole number from 1 to ${expiresSecondsMax}, not ${expiresSeconds}`)
  }
  const scope = scopeText(scopeOf(options))
  const query: HeaderPairs = [
    ...parseQuery(request.rawQuery ?? '').entries,
    ['X-Amz-Algorithm', algorithm],
    ['X-Amz-Credential', `${options.accessKeyId}/${scope}`],
    ['X-Amz-Date', formatAmzDate(options.now)],
    ['X-Amz-Expires', String(expiresSeconds)],
    ...(options.sessionToken === undefined ? [] : [['X-Amz-Security-Token', options.sessionToken] as const]),
    ['X-Amz-SignedHeaders', signedHeaderNames(request.headers).join(';')],
  ]
  const hash = request.headers.find(([name]) => name.toLowerCase() === 'x-amz-content-sha256')?.[1]
  const payloadHash = hash ?? 'UNSIGNED-PAYLOAD'
  const { seedSignature } = sign(request, { headers: request.headers, query, payloadHash }, options)
  return {
    rawQuery: `${canonicalQuery(query)}&X-Amz-Signature=${percentEncode(seedSignature)}`,
    signature: seedSignature,
  }
}

/** Headers that proxies and HTTP libraries add or change: signing them only breaks requests. */
const neverSigned: ReadonlySet<string> = new Set([
  'authorization',
  'connection',
  'expect',
  'transfer-encoding',
  'user-agent',
])

function signedHeaderNames(headers: HeaderPairs): readonly string[] {
  const names = new Set(headers.map(([name]) => name.toLowerCase()).filter((name) => !neverSigned.has(name)))
  if (!names.has('host')) throw new TypeError('A request cannot be signed without its host header.')
  return [...names].sort()
}

function scopeOf({ now, region }: SigningOptions) {
  return { date: formatAmzDate(now).slice(0, 8), region, service: 's3' }
}

function sign(
  { method, rawPath }: RequestToSign,
  signed: { readonly headers: HeaderPairs; readonly query: HeaderPairs; readonly payloadHash: string },
  options: SigningOptions,
) {
  const signedHeaders = signedHeaderNames(signed.headers)
  const values = (wanted: string) =>
    signed.headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value)
  const canonical = canonicalRequest({ method, rawPath, ...signed, signedHeaders, values })
  const scope = scopeOf(options)
  const signingKey = deriveSigningKey(options.secretAccessKey, scope)
  const amzDate = formatAmzDate(options.now)
  const seedSignature = hmacHex(signingKey, stringToSign(amzDate, scopeText(scope), canonical))
  return { signingKey, scope: scopeText(scope), amzDate, seedSignature, signedHeaders, canonicalRequest: canonical }
}
