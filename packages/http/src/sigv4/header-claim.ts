/** The claim of an `Authorization` header. */

import { S3Error } from '../errors/errors.ts'
import type { QueryParams } from '../target/query-params.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { formatAmzDate, parseAmzDate, parseHttpDate } from '../headers/amz-date.ts'
import { algorithm } from './canonical-request.ts'
import { checkScopeDay, parseCredential, parseSignedHeaders } from './claim.ts'
import type { AcceptedRegions, ClaimError, Service, SignatureClaim } from './claim.ts'
import { unsupportedSigV4A } from './unsupported.ts'

export interface HeaderClaimInput {
  readonly authorization: string
  readonly headers: RequestHeaders
  readonly query: QueryParams
  readonly regions: AcceptedRegions
  /** @default 's3' */
  readonly service?: Service
  /** The SHA-256 of the body, where the request need not name it. @default the request must name it */
  readonly payloadHash?: string
}

/**
 * @throws S3Error `AuthorizationHeaderMalformed`; `AccessDenied` without a usable date; `InvalidRequest` without
 *   `x-amz-content-sha256`; `NotImplemented` for SigV4A; `InvalidArgument` for other schemes.
 */
export function headerClaim(input: HeaderClaimInput): SignatureClaim {
  const { authorization, headers, query, regions, service } = input
  const fields = parseUsual(authorization) ?? parseFields(authorization)
  const { accessKeyId, scope } = parseCredential(fields.credential, regions, malformed, service)
  const payloadHash = input.payloadHash ?? headers.single('x-amz-content-sha256')
  if (payloadHash === undefined) {
    throw new S3Error('InvalidRequest', 'Missing required header for this request: x-amz-content-sha256')
  }
  const { time, amzDate } = requestTime(headers)
  checkScopeDay(scope, amzDate, malformed)
  return {
    presigned: false,
    accessKeyId,
    scope,
    amzDate,
    time,
    signedHeaders: parseSignedHeaders(fields.signedHeaders, malformed),
    signature: fields.signature,
    payloadHash,
    sessionToken: headers.single('x-amz-security-token'),
    query: query.entries,
    expires: undefined,
  }
}

/** The form that nearly every client writes. Any other form is parsed field by field. */
const usualForm = /^AWS4-HMAC-SHA256 Credential=([^ \t,]+), ?SignedHeaders=([^ \t,]+), ?Signature=([^ \t,]+)$/

type Fields = Record<'credential' | 'signedHeaders' | 'signature', string>

function parseUsual(authorization: string): Fields | undefined {
  const fields = usualForm.exec(authorization)
  if (fields === null) return undefined
  const [, credential = '', signedHeaders = '', signature = ''] = fields
  return { credential, signedHeaders, signature }
}

function parseFields(authorization: string): Fields {
  const fields = new Map<string, string>()
  for (const part of authorization.slice(checkScheme(authorization).length).split(',')) {
    const [, name = '', value = ''] = /^[ \t]*([A-Za-z]+)=([^ \t]+)[ \t]*$/.exec(part) ?? []
    if (name === '' || fields.has(name)) throw threeComponents()
    fields.set(name, value)
  }
  const credential = fields.get('Credential')
  const signedHeaders = fields.get('SignedHeaders')
  const signature = fields.get('Signature')
  if (credential === undefined || signedHeaders === undefined || signature === undefined) throw threeComponents()
  return { credential, signedHeaders, signature }
}

function checkScheme(authorization: string): string {
  const space = authorization.indexOf(' ')
  const scheme = space === -1 ? authorization : authorization.slice(0, space)
  if (scheme === algorithm) return scheme
  if (scheme === 'AWS4-ECDSA-P256-SHA256') throw unsupportedSigV4A()
  throw new S3Error('InvalidArgument', 'Unsupported Authorization Type', { details: { ArgumentName: 'Authorization' } })
}

/** `x-amz-date` wins over `Date`, which proxies rewrite. */
function requestTime(headers: RequestHeaders): { readonly time: number; readonly amzDate: string } {
  const sent = headers.single('x-amz-date')
  const amzDate = sent ?? headers.single('date') ?? ''
  const time = parseAmzDate(amzDate)
  if (time !== undefined) return { time, amzDate }
  const httpTime = sent === undefined ? parseHttpDate(amzDate) : undefined
  if (httpTime !== undefined) return { time: httpTime, amzDate: formatAmzDate(httpTime) }
  throw new S3Error('AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header')
}

const malformed: ClaimError = (reason, details = {}) =>
  new S3Error('AuthorizationHeaderMalformed', `The authorization header is malformed; ${reason}`, { details })

const threeComponents = () =>
  malformed('the authorization header requires three components: Credential, SignedHeaders, and Signature.')
