import type { Seq } from '@varve/core'
import type { Client } from './operation.ts'

/** A request as it came over the wire. */
export interface WireRequest {
  readonly method: string
  /** The request target as received: origin form. */
  readonly rawUrl: string
  /** Name, value, name, value; one byte per character. */
  readonly rawHeaders: readonly string[]
  /** Read at most once, and only if the operation needs it. */
  readonly body: AsyncIterable<Uint8Array>
  readonly secure: boolean
  readonly requestId: string
  readonly client: Client
  /** Filled in during the request, for logs and for headers of the answer. */
  readonly trace: Trace
}

export interface Trace {
  /** S3's name of the operation. */
  operation?: string
  /** Id of the identity. */
  identity?: string
  /** The name of the identity, for people. */
  identityName?: string
  accessKeyId?: string
  /** An action of the control API. */
  isControl?: true
  /** As the request names it, also if there is no such bucket. */
  bucket?: string
  key?: string
  /** The position that the answer looks back to. */
  at?: Seq
  /** The position of the last event that the request caused. */
  seq?: Seq
}
