/**
 * Who sent this request, proved by its SigV4 signature over the raw path, query and header bytes.
 *
 * Order: the shape of the claim, headers left unsigned, the signature, and only then the clock: nobody learns anything
 * about keys or time without a signature. An unknown access key costs the same work as a known one.
 */

import { randomBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { isStreaming, parsePayloadForm } from '../body/payload-form.ts'
import { S3Error } from '../errors.ts'
import type { QueryParams } from '../target/query-params.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { canonicalRequest, stringToSign } from './canonical-request.ts'
import { checkTime, checkUnsignedPayload, defaultSkewMs } from './claim-checks.ts'
import type { AcceptedRegions, SignatureClaim } from './claim.ts'
import { hmacHex, sameToken, signaturesEqual } from './digests.ts'
import { headerClaim } from './header-claim.ts'
import { hasQueryClaim, hoistedHeaders, queryClaim } from './query-claim.ts'
import { mismatch } from './mismatch.ts'
import { deriveSigningKey, scopeText } from './signing-keys.ts'
import { unsupportedMechanism } from './unsupported.ts'
import type { Anonymous, KeyHolder, RequestToVerify, Verified, VerifyOptions } from './verification.ts'

/**
 * @throws S3Error `InvalidAccessKeyId`, `SignatureDoesNotMatch`, `InvalidToken`; `RequestTimeTooSkewed`; `AccessDenied`
 *   for unsigned `x-amz-…` headers, an expired URL, a missing date or a refused unsigned payload;
 *   `AuthorizationHeaderMalformed`, `AuthorizationQueryParametersError`, `InvalidArgument`, `InvalidRequest`,
 *   `InvalidURI` for what cannot be read; `NotImplemented` for SigV4A.
 */
export function verifyRequest<T extends KeyHolder>(
  request: RequestToVerify,
  options: VerifyOptions<T>,
): Verified<T> | Anonymous {
  const { headers, query } = request
  for (const name of onlyOnce) headers.single(name)
  const claim = readClaim(headers, query, options.regions)
  if (claim === undefined) return { anonymous: true }

  const payload = parsePayloadForm(claim.payloadHash)
  if (claim.presigned && isStreaming(payload)) {
    throw new S3Error('InvalidRequest', 'A presigned URL cannot be used with a streaming payload.')
  }
  refuseUnsignedHeaders(claim, headers)
  const { identity, signingKey } = proveSignature(request, claim, options)
  checkTime(claim, options.now, options.maxSkewMs ?? defaultSkewMs)
  if (options.unsignedPayload === 'refuse') checkUnsignedPayload(request.method, payload)
  return {
    anonymous: false,
    identity,
    accessKeyId: claim.accessKeyId,
    payload,
    presigned: claim.presigned,
    signedHeaders: claim.signedHeaders,
    hoisted: claim.presigned ? hoistedHeaders(query) : [],
    signingKey,
    scope: scopeText(claim.scope),
    amzDate: claim.amzDate,
    seedSignature: claim.signature.toLowerCase(),
  }
}

/** Headers whose second copy could be read by one layer and not by another. */
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

function readClaim(headers: RequestHeaders, query: QueryParams, regions: AcceptedRegions): SignatureClaim | undefined {
  const authorization = headers.single('authorization') ?? ''
  const inQuery = hasQueryClaim(query)
  const oldInQuery = query.has('Signature') || query.has('AWSAccessKeyId')
  if (authorization !== '') {
    if (!inQuery && !oldInQuery) return headerClaim({ authorization, headers, query, regions })
    throw new S3Error(
      'InvalidArgument',
      'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter ' +
        'or the Authorization header should be specified',
      { details: { ArgumentName: 'Authorization' } },
    )
  }
  if (inQuery) return queryClaim({ headers, query, regions })
  if (oldInQuery) throw unsupportedMechanism()
  return undefined
}

/** A header nobody signed may have been added on the way: one `x-amz-copy-source` would turn a write into a read. */
function refuseUnsignedHeaders(claim: SignatureClaim, headers: RequestHeaders): void {
  const { signedHeaders } = claim
  // There are few of them: looking through the list is sooner done than making a set of it.
  const unsigned = headers.names.filter((name) => mustBeSigned(name) && !signedHeaders.includes(name))
  if (!signedHeaders.includes('host')) unsigned.unshift('host')
  if (unsigned.length === 0) return
  throw new S3Error('AccessDenied', 'There were headers present in the request which were not signed', {
    details: { HeadersNotSigned: unsigned.join(', ') },
  })
}

const mustBeSigned = (name: string): boolean => name.startsWith('x-amz-') || name.startsWith('x-svc-')

/** Stands in for the secret of a key nobody has. */
const nobodysSecret = randomBytes(30).toString('base64')

function proveSignature<T extends KeyHolder>(
  request: RequestToVerify,
  claim: SignatureClaim,
  { credentials, signingKeys }: VerifyOptions<T>,
): { readonly identity: T; readonly signingKey: KeyObject } {
  const identity = credentials(claim.accessKeyId)
  const secret = identity?.secretAccessKey ?? nobodysSecret
  const signingKey = signingKeys?.derive(secret, claim.scope) ?? deriveSigningKey(secret, claim.scope)
  const canonical = canonicalRequest({
    method: request.method,
    rawPath: request.rawPath,
    query: claim.query,
    signedHeaders: claim.signedHeaders,
    values: (name) => request.headers.values(name),
    payloadHash: claim.payloadHash,
  })
  const text = stringToSign(claim.amzDate, scopeText(claim.scope), canonical)
  const matches = signaturesEqual(hmacHex(signingKey, text), claim.signature)
  if (identity === undefined) {
    throw new S3Error('InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.', {
      details: { AWSAccessKeyId: claim.accessKeyId },
    })
  }
  if (!matches) throw mismatch(claim, text, canonical)
  if (!sameToken(identity.sessionToken, claim.sessionToken)) {
    throw new S3Error('InvalidToken', 'The provided token is malformed or otherwise invalid.')
  }
  signingKeys?.remember(secret, claim.scope, signingKey)
  return { identity, signingKey }
}
