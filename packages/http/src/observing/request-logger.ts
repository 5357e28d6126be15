/** The request log: one line for each request, through a logger of the program. */
import { callListener } from '@varve/core'
import type { RequestLog } from '../contract/request-log.ts'

/** A logger of `pino`, or one with the same methods. */
export interface RequestLogger {
  info(line: RequestLine): void
  warn(line: RequestLine): void
  error(line: RequestLine): void
}

/** The fields of a line. An absent value has no field. */
export type RequestLine = Readonly<Record<string, string | number | boolean | undefined>>

/** No bucket and no key has a longer name, but a request that is refused can have one. */
const nameMax = 1024

/** An answer of 5xx is an error, one of 4xx a warning. */
export function logRequest(logger: RequestLogger, entry: RequestLog): void {
  const { status } = entry
  const level = status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info'
  callListener(
    () => logger[level](requestLine(entry)),
    () => undefined,
  )
}

/** The path repeats the names of the bucket and the key, so it is given only where these are unknown. */
function requestLine(entry: RequestLog): RequestLine {
  const { operation, path, status, error } = entry
  return {
    requestId: entry.requestId,
    address: entry.address,
    identity: entry.identityName,
    accessKeyId: entry.accessKeyId,
    method: entry.method,
    operation,
    bucket: entry.bucket?.slice(0, nameMax),
    key: entry.key?.slice(0, nameMax),
    versionId: entry.versionId,
    path: operation === undefined || operation === 'Website' ? path.slice(0, nameMax) : undefined,
    status,
    errorCode: entry.errorCode,
    message: status >= 500 && error instanceof Error ? error.message : undefined,
    bytesIn: entry.bytesReceived,
    bytesOut: entry.bytesSent,
    durationMs: Math.round(entry.durationMs * 1000) / 1000,
    clientGone: entry.isClientGone,
    at: entry.at,
    seq: entry.seq,
    traceId: entry.traceId,
    userAgent: entry.userAgent,
  }
}
