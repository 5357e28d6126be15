import type { RequestLog } from '../contract/request-log.ts'
import type { Trace } from '../contract/trace.ts'
import { toWireError } from '../errors/wire-error.ts'
import { noteContext } from './sent-context.ts'

/** What is known of a request when it is over. */
export interface Ended {
  readonly requestId: string
  readonly time: number
  readonly address: string | undefined
  readonly method: string
  readonly rawUrl: string
  readonly rawHeaders: readonly string[]
  readonly status: number
  readonly durationMs: number
  readonly bytesReceived: number
  readonly bytesSent: number
  readonly isClientGone: boolean
  readonly versionId: string | undefined
  readonly error: unknown
  readonly trace: Trace
}

/** What nginx notes for a client that went before it had an answer. Nothing was sent, and no part of the server has failed. */
const clientClosedRequest = 499

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** The entry of a request in the log: its trace, which ends with the request, and what is added here. */
export function endedRequest(ended: Ended): RequestLog {
  const { rawUrl, address, versionId, isClientGone, error } = ended
  const queryAt = rawUrl.indexOf('?')
  const entry = ended.trace as Writable<RequestLog>
  entry.requestId = ended.requestId
  entry.time = ended.time
  entry.method = ended.method
  entry.path = queryAt === -1 ? rawUrl : rawUrl.slice(0, queryAt)
  entry.status = ended.status
  entry.durationMs = ended.durationMs
  entry.bytesReceived = ended.bytesReceived
  entry.bytesSent = ended.bytesSent
  noteContext(entry, ended.rawHeaders)
  if (address !== undefined) entry.address = address
  if (versionId !== undefined) entry.versionId = versionId
  if (isClientGone) entry.isClientGone = true
  if (error !== undefined) noteError(entry, error)
  return entry
}

function noteError(entry: Writable<RequestLog>, error: unknown): void {
  // What was done for the client was stopped, with the reason that its signal gave.
  if (entry.isClientGone === true && (error as Partial<Error> | null)?.name === 'AbortError') {
    entry.status = clientClosedRequest
    return
  }
  entry.error = error
  entry.errorCode = toWireError(error).code
}
