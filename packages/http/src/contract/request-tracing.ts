import type { RequestLog } from './request-log.ts'

/** The beginning of a request, before anything of it was checked. */
export interface BegunRequest {
  readonly method: string
  readonly rawUrl: string
  readonly rawHeaders: readonly string[]
  readonly address?: string | undefined
  readonly secure: boolean
}

/** A request that is followed. */
export interface RequestSpan {
  /** Runs what the operation does, below the request. */
  operation<T>(name: string, run: () => Promise<T>): Promise<T>
  /** The request has caused an event. */
  committed(seq: number): void
  /** The last call. */
  ended(entry: RequestLog): void
}

/** Follows requests as spans. `varve/opentelemetry` has one. */
export interface RequestTracing {
  /** Runs the request, so that spans of the program that it begins are below it. The span ends with `span.ended`. */
  request<T>(begun: BegunRequest, run: (span: RequestSpan) => Promise<T>): Promise<T>
}
