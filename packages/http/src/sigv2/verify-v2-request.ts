/**
 * Verifies the identity of a request by its V2 signature over method, path, the parameters that choose an operation,
 * every `x-amz-…` header, type, MD5 and time. The signature covers the body only by its `Content-MD5`, and no body has
 * signed chunks.
 *
 * The order is that of V4: the shape of the claim, unsigned parts, the signature, and only then the clock.
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { isStreaming, parsePayloadForm } from '../sigv4/payload-form.ts'
import { S3Error } from '../errors/errors.ts'
import { checkTime, checkUnsignedPayload, defaultSkewMs, isoSeconds } from '../sigv4/claim-checks.ts'
import { sameToken } from '../sigv4/digests.ts'
import { hoistedHeaders } from '../sigv4/query-claim.ts'
import { invalidToken, unknownAccessKey, unsignedHeaders } from '../sigv4/refusals.ts'
import type { KeyHolder, RequestToVerify, VerifiedV2, VerifyOptions } from '../sigv4/verification.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import type { V2Claim } from './claim.ts'
import { v2Mismatch } from './mismatch.ts'
import { signedResources, stringToSign } from './string-to-sign.ts'

/**
 * @throws S3Error `InvalidAccessKeyId`, `SignatureDoesNotMatch`, `InvalidToken`; `RequestTimeTooSkewed`; `AccessDenied`
 *   for an expired URL, headers that this signature cannot cover, or a refused unsigned payload; `InvalidRequest` for
 *   chunks; `InvalidArgument` for signed parameters given twice.
 */
export function verifyV2Request<T extends KeyHolder>(
  request: RequestToVerify,
  claim: V2Claim,
  options: VerifyOptions<T> & { readonly v2Parameters: ReadonlySet<string> },
): VerifiedV2<T> {
  const headers = claim.presigned ? withHoisted(request.headers, claim.hoisted) : request.headers
  const payload = parsePayloadForm(headers.single('x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD')
  if (isStreaming(payload)) {
    throw new S3Error('InvalidRequest', 'A version 2 signature cannot be used with a streaming payload.')
  }
  // A V2 signature does not cover the `x-svc-` spelling.
  const unsigned = headers.names.filter((name) => name.startsWith('x-svc-'))
  if (unsigned.length > 0) throw unsignedHeaders(unsigned)
  const identity = proveSignature({ ...request, headers }, claim, options)
  checkClock(claim, options)
  if (options.unsignedPayload === 'refuse') checkUnsignedPayload(request.method, payload)
  return {
    version: 'AWS',
    anonymous: false,
    identity,
    accessKeyId: claim.accessKeyId,
    payload,
    presigned: claim.presigned,
    hoisted: claim.presigned ? hoistedHeaders(request.query) : [],
  }
}

/** Replaces the secret of an unknown key. */
const unknownSecret = randomBytes(30).toString('base64')

function proveSignature<T extends KeyHolder>(
  { method, rawPath, hostBucket, query, headers }: RequestToVerify,
  claim: V2Claim,
  { credentials, v2Parameters }: VerifyOptions<T> & { readonly v2Parameters: ReadonlySet<string> },
): T {
  const identity = credentials(claim.accessKeyId, tokenOf(headers))
  const secret = identity?.secretAccessKey ?? unknownSecret
  const expires = claim.presigned ? claim.expires : undefined
  const texts = signedResources(rawPath, hostBucket).map((resource) =>
    stringToSign({ method, resource, query, parameters: v2Parameters, headers, expires: bytesOf(expires) }),
  )
  // Compares all texts, even after a match.
  const fitting = texts.filter((text) => isSignature(claim.signature, secret, text))
  if (identity === undefined) throw unknownAccessKey(claim.accessKeyId)
  if (fitting.length === 0) throw v2Mismatch(claim, texts[0] ?? '')
  if (!sameToken(identity.sessionToken, tokenOf(headers))) throw invalidToken()
  return identity
}

const tokenOf = (headers: RequestHeaders): string | undefined => headers.single('x-amz-security-token')

const bytesOf = (text: string | undefined): string | undefined => text && Buffer.from(text, 'utf8').toString('latin1')

/** Compares in constant time. A value that is not 20 bytes in base64 never matches. */
function isSignature(provided: string, secret: string, text: string): boolean {
  const expected = createHmac('sha1', secret).update(text, 'latin1').digest()
  const bytes = Buffer.from(provided, 'base64')
  const wellFormed = bytes.length === expected.length && bytes.toString('base64') === provided
  return timingSafeEqual(expected, wellFormed ? bytes : Buffer.alloc(expected.length)) && wellFormed
}

function checkClock(claim: V2Claim, { now, maxSkewMs = defaultSkewMs }: VerifyOptions<KeyHolder>): void {
  if (!claim.presigned) return checkTime({ expires: undefined, time: claim.time, amzDate: claim.date }, now, maxSkewMs)
  if (now <= claim.expiry) return
  throw new S3Error('AccessDenied', 'Request has expired', {
    details: { Expires: isoSeconds(claim.expiry), ServerTime: isoSeconds(now) },
  })
}

function withHoisted(sent: RequestHeaders, hoisted: readonly (readonly [string, string])[]): RequestHeaders {
  const raw = sent.names.flatMap((name) => sent.values(name).flatMap((value) => [name, value]))
  return createRequestHeaders(raw, hoisted)
}
