/** The client's side: signs requests and URLs that `verifyRequest` and S3 accept. */

import { schema } from '@varve/core'
import { parseQuery } from '../target/query-params.ts'
import { percentEncode } from '../target/percent.ts'
import { formatAmzDate } from '../headers/amz-date.ts'
import { algorithm, canonicalQuery, canonicalRequest, stringToSign } from './canonical-request.ts'
import { hmacHex } from './digests.ts'
import { headerSigning, requestToSign, urlSigning } from './signing-arguments.ts'
import type { HeaderPairs, RequestToSign, SigningOptions } from './signing-arguments.ts'
import { deriveSigningKey, scopeText } from './signing-keys.ts'
import type { SignatureSeed } from './verification.ts'

/** A request with its signature. */
export interface SignedRequest extends SignatureSeed {
  /** The headers given, plus the date, the payload hash, the token if any, and `authorization`. */
  readonly headers: HeaderPairs
  /** The canonical request, for people who compare it. */
  readonly canonicalRequest: string
}

/**
 * Signs a request by its headers.
 * @param payloadHash Hex SHA-256 of the body, or one of the words of `x-amz-content-sha256`.
 * @throws StorageError `InvalidArgument` for invalid arguments, such as a request without a `host` header; S3Error
 * `InvalidURI` for an invalid query.
 */
export function signRequest(
  given: RequestToSign,
  by: SigningOptions & { readonly payloadHash: string },
): SignedRequest {
  const request = schema.checked('request', requestToSign, given)
  const { payloadHash, ...options } = schema.checked('options', headerSigning, by)
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
 * Signs a URL and returns its raw query. The holder of the URL may send the request, with the same headers, until it
 * expires. The signature does not cover the body unless `headers` contain an `x-amz-content-sha256`.
 * @param expiresSeconds 1 to 604,800.
 * @throws as `signRequest` does, also for another `expiresSeconds`.
 */
export function presign(
  given: RequestToSign,
  by: SigningOptions & { readonly expiresSeconds: number },
): { readonly rawQuery: string; readonly signature: string } {
  const request = schema.checked('request', requestToSign, given)
  const { expiresSeconds, ...options } = schema.checked('options', urlSigning, by)
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

/** Headers that proxies and HTTP libraries add or change. Signing them would only break requests. */
const neverSigned: ReadonlySet<string> = new Set([
  'authorization',
  'connection',
  'expect',
  'transfer-encoding',
  'user-agent',
])

function signedHeaderNames(headers: HeaderPairs): readonly string[] {
  const names = new Set(headers.map(([name]) => name.toLowerCase()).filter((name) => !neverSigned.has(name)))
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
