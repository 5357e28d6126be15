/**
 * Signature version 4, in plain JavaScript: a page that was loaded over HTTP from another machine has no WebCrypto.
 */

import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { canonicalPath, canonicalQuery, type Query } from './percent.ts'

export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

export interface SigningContext {
  readonly credentials: Credentials
  readonly region: string
  readonly now: Date
}

/** A request as the server sees it: the path without the prefix of a proxy, not encoded. */
export interface RequestToSign {
  readonly method: string
  readonly host: string
  readonly path: string
  readonly query: Query
}

export type Headers = Readonly<Record<string, string>>

export const unsignedPayload = 'UNSIGNED-PAYLOAD'

export const sha256Hex = (body: string | Uint8Array): string =>
  bytesToHex(sha256(typeof body === 'string' ? utf8ToBytes(body) : body))

/** Returns the headers to send. The browser itself adds `host`, which is signed too. */
export function signedHeaders(
  request: RequestToSign & { readonly headers: Headers; readonly payloadHash: string },
  { credentials, region, now }: SigningContext,
): Headers {
  const amzDate = amzDateOf(now)
  const sent: Headers = {
    ...lowerCase(request.headers),
    'x-amz-date': amzDate,
    'x-amz-content-sha256': request.payloadHash,
    ...(credentials.sessionToken !== undefined && { 'x-amz-security-token': credentials.sessionToken }),
  }
  const names = [...Object.keys(sent), 'host'].sort()
  const canonical = canonicalRequest({ ...request, names, headers: { ...sent, host: request.host } })
  const scope = `${amzDate.slice(0, 8)}/${region}/s3/aws4_request`
  const signature = signatureOf(canonical, { amzDate, scope, secret: credentials.secretAccessKey })
  const authorization =
    `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, ` +
    `SignedHeaders=${names.join(';')}, Signature=${signature}`
  return { ...sent, authorization }
}

/** Returns the query of a URL that anyone who has it can use until it expires. */
export function presignedQuery(
  request: RequestToSign,
  { credentials, region, now, expiresSeconds }: SigningContext & { readonly expiresSeconds: number },
): string {
  const amzDate = amzDateOf(now)
  const scope = `${amzDate.slice(0, 8)}/${region}/s3/aws4_request`
  const query: Query = [
    ...request.query,
    ['X-Amz-Algorithm', 'AWS4-HMAC-SHA256'],
    ['X-Amz-Credential', `${credentials.accessKeyId}/${scope}`],
    ['X-Amz-Date', amzDate],
    ['X-Amz-Expires', String(expiresSeconds)],
    ...(credentials.sessionToken === undefined ? [] : [['X-Amz-Security-Token', credentials.sessionToken] as const]),
    ['X-Amz-SignedHeaders', 'host'],
  ]
  const headers = { host: request.host }
  const canonical = canonicalRequest({ ...request, query, headers, names: ['host'], payloadHash: unsignedPayload })
  const signature = signatureOf(canonical, { amzDate, scope, secret: credentials.secretAccessKey })
  return `${canonicalQuery(query)}&X-Amz-Signature=${signature}`
}

/** `20261120T100000Z`. */
const amzDateOf = (now: Date): string => now.toISOString().replace(/[-:]|\.\d{3}/g, '')

function lowerCase(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

interface CanonicalInput extends RequestToSign {
  readonly headers: Headers
  readonly names: readonly string[]
  readonly payloadHash: string
}

function canonicalRequest({ method, path, query, headers, names, payloadHash }: CanonicalInput): string {
  return [
    method,
    canonicalPath(path),
    canonicalQuery(query),
    ...names.map((name) => `${name}:${canonicalValue(headers[name] ?? '')}`),
    '',
    names.join(';'),
    payloadHash,
  ].join('\n')
}

const canonicalValue = (value: string): string => value.replace(/[ \t]+/g, ' ').replace(/^ | $/g, '')

function signatureOf(
  canonical: string,
  { amzDate, scope, secret }: { readonly amzDate: string; readonly scope: string; readonly secret: string },
): string {
  const key = scope
    .split('/')
    .reduce((soFar, part) => hmac(sha256, soFar, utf8ToBytes(part)), utf8ToBytes(`AWS4${secret}`))
  const text = ['AWS4-HMAC-SHA256', amzDate, scope, sha256Hex(canonical)].join('\n')
  return bytesToHex(hmac(sha256, key, utf8ToBytes(text)))
}
