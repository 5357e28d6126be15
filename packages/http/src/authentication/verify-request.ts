/**
 * Verifies the identity of a request by its SigV4 signature over the raw path, query and header bytes, or by a V2
 * signature, where those are accepted.
 *
 * Order: the shape of the claim, unsigned headers, the signature, and only then the clock. So a client without a valid
 * signature learns nothing about keys or time. An unknown access key costs the same work as a known one.
 */

import { randomBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { isStreaming, parsePayloadForm } from '../sigv4/payload-form.ts'
import { S3Error } from '../errors/errors.ts'
import { hasV2QueryClaim, isV2Header, v2HeaderClaim, v2QueryClaim } from '../sigv2/claim.ts'
import type { V2Claim } from '../sigv2/claim.ts'
import { verifyV2Request } from '../sigv2/verify-v2-request.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { canonicalRequest, stringToSign } from '../sigv4/canonical-request.ts'
import { checkTime, checkUnsignedPayload, defaultSkewMs } from '../sigv4/claim-checks.ts'
import type { SignatureClaim } from '../sigv4/claim.ts'
import { hmacHex, sameToken, signaturesEqual } from '../sigv4/digests.ts'
import { headerClaim } from '../sigv4/header-claim.ts'
import { hasQueryClaim, hoistedHeaders, queryClaim } from '../sigv4/query-claim.ts'
import { mismatch } from '../sigv4/mismatch.ts'
import { invalidToken, severalMechanisms, unknownAccessKey, unsignedHeaders } from '../sigv4/refusals.ts'
import { deriveSigningKey, scopeText } from '../sigv4/signing-keys.ts'
import { unsupportedMechanism } from '../sigv4/unsupported.ts'
import type {
  Anonymous,
  KeyHolder,
  RequestToVerify,
  Verified,
  VerifiedV4,
  VerifyOptions,
} from '../sigv4/verification.ts'

/**
 * @throws S3Error `InvalidAccessKeyId`, `SignatureDoesNotMatch`, `InvalidToken`; `RequestTimeTooSkewed`; `AccessDenied`
 *   for unsigned `x-amz-…`, `x-varve-…` and `x-tigris-…` headers, an expired URL, a missing date or a refused unsigned payload;
 *   `AuthorizationHeaderMalformed`, `AuthorizationQueryParametersError`, `InvalidArgument`, `InvalidRequest`,
 *   `InvalidURI` for what cannot be read; `NotImplemented` for SigV4A.
 */
export function verifyRequest<T extends KeyHolder>(
  request: RequestToVerify,
  options: VerifyOptions<T>,
): Verified<T> | Anonymous {
  request.headers.assertSingle(onlyOnce)
  const { v2Parameters } = options
  const v2Claim = readV2Claim(request, v2Parameters !== undefined)
  if (v2Claim !== undefined && v2Parameters !== undefined) {
    return verifyV2Request(request, v2Claim, { ...options, v2Parameters })
  }
  const claim = readClaim(request, options)
  return claim === undefined ? { anonymous: true } : verifyClaim(request, claim, options)
}

/**
 * The identity that signed a request of STS, by its Authorization header and the SHA-256 of the whole body.
 * @throws S3Error as `verifyRequest` does; `AccessDenied` for a request without a signature
 */
export function verifyStsRequest<T extends KeyHolder>(
  request: Omit<RequestToVerify, 'hostBucket'>,
  bodySha256: string,
  options: VerifyOptions<T>,
): T {
  const { headers, query } = request
  headers.assertSingle(onlyOnce)
  const authorization = headers.single('authorization') ?? ''
  if (authorization === '') throw new S3Error('AccessDenied', 'Access Denied')
  const { regions } = options
  const claim = headerClaim({ authorization, headers, query, regions, service: 'sts', payloadHash: bodySha256 })
  refuseUnsignedHeaders(claim, headers)
  const { identity } = proveSignature(request, claim, options)
  checkTime(claim, options.now, options.maxSkewMs ?? defaultSkewMs)
  return identity
}

function verifyClaim<T extends KeyHolder>(
  request: RequestToVerify,
  claim: SignatureClaim,
  options: VerifyOptions<T>,
): VerifiedV4<T> {
  const payload = parsePayloadForm(claim.payloadHash)
  if (claim.presigned && isStreaming(payload)) {
    throw new S3Error('InvalidRequest', 'A presigned URL cannot be used with a streaming payload.')
  }
  refuseUnsignedHeaders(claim, request.headers)
  const { identity, signingKey, signature, scope } = proveSignature(request, claim, options)
  checkTime(claim, options.now, options.maxSkewMs ?? defaultSkewMs)
  if (options.unsignedPayload === 'refuse') checkUnsignedPayload(request.method, payload)
  return {
    version: 'AWS4-HMAC-SHA256',
    anonymous: false,
    identity,
    accessKeyId: claim.accessKeyId,
    payload,
    presigned: claim.presigned,
    signedHeaders: claim.signedHeaders,
    hoisted: claim.presigned ? hoistedHeaders(request.query) : [],
    signingKey,
    scope,
    amzDate: claim.amzDate,
    seedSignature: signature,
  }
}

/** Headers for which two layers could read different values if they occur twice. */
const onlyOnce = [
  'authorization',
  'content-length',
  'content-md5',
  'date',
  'host',
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-decoded-content-length',
  'x-amz-security-token',
]

function readClaim(
  { headers, query }: RequestToVerify,
  { regions }: VerifyOptions<KeyHolder>,
): SignatureClaim | undefined {
  const authorization = headers.single('authorization') ?? ''
  if (authorization !== '') return headerClaim({ authorization, headers, query, regions })
  return hasQueryClaim(query) ? queryClaim({ headers, query, regions }) : undefined
}

/**
 * Returns `undefined` for a request without a V2 signature.
 * @throws S3Error for more than one signature, or V2 where it is refused
 */
function readV2Claim({ headers, query }: RequestToVerify, taken: boolean): V2Claim | undefined {
  const authorization = headers.get('authorization') ?? ''
  if (query.entries.length === 0 && !isV2Header(authorization)) return undefined
  const inQuery = hasV2QueryClaim(query)
  const signatures = Number(authorization !== '') + Number(inQuery) + Number(hasQueryClaim(query))
  if (signatures > 1) throw severalMechanisms()
  if (!inQuery && !isV2Header(authorization)) return undefined
  if (!taken) throw unsupportedMechanism()
  return inQuery ? v2QueryClaim(query) : v2HeaderClaim(authorization, headers)
}

/** An unsigned header may have been added in transit: an `x-amz-copy-source` would turn a write into a read. */
function refuseUnsignedHeaders(claim: SignatureClaim, headers: RequestHeaders): void {
  const { signedHeaders } = claim
  // The list is short: searching it is faster than making a set of it.
  const unsigned = headers.names.filter((name) => mustBeSigned(name) && !signedHeaders.includes(name))
  if (!signedHeaders.includes('host')) unsigned.unshift('host')
  if (unsigned.length === 0) return
  throw unsignedHeaders(unsigned)
}

const mustBeSigned = (name: string): boolean => signedPrefixes.some((prefix) => name.startsWith(prefix))

const signedPrefixes = ['x-amz-', 'x-svc-', 'x-varve-', 'x-tigris-']

/** Replaces the secret of an unknown key. */
const unknownSecret = randomBytes(30).toString('base64')

function proveSignature<T extends KeyHolder>(
  request: RequestToVerify,
  claim: SignatureClaim,
  { credentials, signingKeys }: VerifyOptions<T>,
): { readonly identity: T; readonly signingKey: KeyObject; readonly signature: string; readonly scope: string } {
  const identity = credentials(claim.accessKeyId, claim.sessionToken)
  const secret = identity?.secretAccessKey ?? unknownSecret
  const signingKey = signingKeys?.derive(secret, claim.scope) ?? deriveSigningKey(secret, claim.scope)
  const canonical = canonicalRequest({
    method: request.method,
    rawPath: request.rawPath,
    query: claim.query,
    signedHeaders: claim.signedHeaders,
    values: (name) => request.headers.values(name),
    payloadHash: claim.payloadHash,
  })
  const scope = scopeText(claim.scope)
  const text = stringToSign(claim.amzDate, scope, canonical)
  const signature = hmacHex(signingKey, text)
  const matches = signaturesEqual(signature, claim.signature)
  if (identity === undefined) throw unknownAccessKey(claim.accessKeyId)
  if (!matches) throw mismatch(claim, { text, canonical, headers: request.headers })
  if (!sameToken(identity.sessionToken, claim.sessionToken)) throw invalidToken()
  signingKeys?.remember(secret, claim.scope, signingKey)
  return { identity, signingKey, signature, scope }
}
