/** A request as it came over the wire, read as the pipeline reads it. */
import { parseQuery } from '../target/query-params.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import type { RequestToVerify } from './verification.ts'

export interface Received {
  readonly method: string
  readonly rawPath: string
  /** Without `?`. */
  readonly rawQuery: string
  readonly rawHeaders: readonly string[]
}

export const asRead = ({ method, rawPath, rawQuery, rawHeaders }: Received): RequestToVerify => ({
  method,
  rawPath,
  query: parseQuery(rawQuery),
  headers: createRequestHeaders(rawHeaders),
})
