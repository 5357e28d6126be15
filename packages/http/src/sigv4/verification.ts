/** What goes into the verification of a request, and what comes out. */

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
  /** The bucket that the Host header names, if it does. */
  readonly hostBucket?: string | undefined
}

/** What a lookup must give for a known access key id. The whole object comes back as `identity`. */
export interface KeyHolder {
  readonly secretAccessKey: string
  /** When set, every request must carry this token. */
  readonly sessionToken?: string
}

export interface VerifyOptions<T extends KeyHolder> {
  /** The server's clock, milliseconds since the epoch. */
  readonly now: number
  /** Regions a scope may name; the first is sent to clients that named another. */
  readonly regions: AcceptedRegions
  readonly credentials: (accessKeyId: string) => T | undefined
  /** How far a request's clock may be off, either way, inclusive. @default 900_000 (15 minutes) */
  readonly maxSkewMs?: number
  /** `refuse`: bodies of PUT and POST must be covered by the signature. For plain HTTP beyond loopback. @default 'allow' */
  readonly unsignedPayload?: 'allow' | 'refuse'
  /** Parameters that V2 signatures cover. Without them V2 signatures are refused. */
  readonly v2Parameters?: ReadonlySet<string> | undefined
  /** Derived keys to reuse between calls. Without it every call derives its own. */
  readonly signingKeys?: SigningKeys
}

/** What chunk signatures grow from. */
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
  /** Headers that a presigned URL carries as parameters: hand them to `createRequestHeaders`. */
  readonly hoisted: readonly (readonly [name: string, value: string])[]
}

export interface VerifiedV4<T> extends VerifiedRequest<T>, SignatureSeed {
  readonly version: 'AWS4-HMAC-SHA256'
  /** Lower case, sorted. */
  readonly signedHeaders: readonly string[]
}

/** Nothing grows from it: V2 signs no chunks. */
export interface VerifiedV2<T> extends VerifiedRequest<T> {
  readonly version: 'AWS'
}

export type Verified<T> = VerifiedV4<T> | VerifiedV2<T>

/** A request without any credentials: the caller decides, and by default refuses. */
export interface Anonymous {
  readonly anonymous: true
}
