import type { Trace } from './trace.ts'

/** A request that has ended. Contains no query, no secret, and of the headers only those that have a field here. */
export interface RequestLog extends Trace {
  readonly requestId: string
  /** When the request began, in milliseconds since the epoch. */
  readonly time: number
  /** The address of the client, behind trusted proxies. */
  readonly address?: string
  readonly method: string
  /** As received, without the query. */
  readonly path: string
  /**
   * The status of the answer. The client may have gone before the answer arrived. 499: it had gone before there was one, and what was done
   * for it was stopped.
   */
  readonly status: number
  readonly durationMs: number
  readonly bytesReceived: number
  /** Bytes of the body of the answer that were passed to the socket. */
  readonly bytesSent: number
  /** The version that the answer names. */
  readonly versionId?: string
  /** The trace of the header `traceparent`, as W3C Trace Context has it. */
  readonly traceId?: string
  readonly userAgent?: string
  /** True if the connection broke before the whole answer was passed on. */
  readonly isClientGone?: boolean
  /** The code that S3 clients see, if the request failed. */
  readonly errorCode?: string
  /** The thrown error, such as the cause of a 500. */
  readonly error?: unknown
}
