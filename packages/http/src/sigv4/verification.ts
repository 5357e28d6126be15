/** The input and the result of verifying a request. */

import type { KeyObject } from 'node:crypto'
import type { PayloadForm } from './payload-form.ts'
import type { QueryParams } from '../target/query-params.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import type { AcceptedRegions } from './claim.ts'
import type { SigningKeys } from './signing-keys.ts'

export interface RequestToVerify {
  readonly method: string
  /** The path as received, undecoded, without query. */
  readonly rawPath: string
  readonly query: QueryParams
  readonly headers: RequestHeaders
  /** The bucket in the Host header, if there is one. */
  readonly hostBucket?: string | undefined
}

/** The result of looking up a known access key id. The whole object is returned as `identity`. */
export interface KeyHolder {
  readonly secretAccessKey: string
  /** When set, every request must carry this token. */
  readonly sessionToken?: string
}

export interface VerifyOptions<T extends KeyHolder> {
  /** The server's clock, milliseconds since the epoch. */
  readonly now: number
  /** Regions that a scope may name. The error for another region names the first one. */
  readonly regions: AcceptedRegions
  readonly credentials: (accessKeyId: string, sessionToken?: string) => T | undefined
  /** How far the clock of a request may be off in either direction, inclusive. @default 900_000 (15 minutes) */
  readonly maxSkewMs?: number
  /** `refuse`: the signature must cover bodies of PUT and POST. For plain HTTP beyond loopback. @default 'allow' */
  readonly unsignedPayload?: 'allow' | 'refuse'
  /** Parameters that V2 signatures cover. Without them V2 signatures are refused. */
  readonly v2Parameters?: ReadonlySet<string> | undefined
  /** Derived keys to reuse between calls. Without it every call derives its own. */
  readonly signingKeys?: SigningKeys
}

/** The values that chunk signatures are computed from. */
export interface SignatureSeed {
  readonly signingKey: KeyObject
  /** `YYYYMMDD/region/s3/aws4_request`. */
  readonly scope: string
  /** `YYYYMMDDTHHMMSSZ`. */
  readonly amzDate: string
  /** The request's own signature, lower-case hex. */
  readonly seedSignature: string
}

interface VerifiedRequest<T> {
  readonly anonymous: false
  readonly identity: T
  readonly accessKeyId: string
  readonly payload: PayloadForm
  readonly presigned: boolean
  /** Headers that a presigned URL carries as parameters: pass them to `createRequestHeaders`. */
  readonly hoisted: readonly (readonly [name: string, value: string])[]
}

export interface VerifiedV4<T> extends VerifiedRequest<T>, SignatureSeed {
  readonly version: 'AWS4-HMAC-SHA256'
  /** Lower case, sorted. */
  readonly signedHeaders: readonly string[]
}

/** Without a seed: V2 signs no chunks. */
export interface VerifiedV2<T> extends VerifiedRequest<T> {
  readonly version: 'AWS'
}

export type Verified<T> = VerifiedV4<T> | VerifiedV2<T>

/** A request without any credentials. The caller decides what it may do. */
export interface Anonymous {
  readonly anonymous: true
}
