import type { Trace } from './trace.ts'
import type { RequestSpan } from './request-tracing.ts'
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
  /** Absent: the request is not followed. */
  readonly span?: RequestSpan | undefined
  /** Whether the bucket of the request has CORS rules. Noted when the bucket is read. */
  hasCorsRules?: boolean | undefined
}
