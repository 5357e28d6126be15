import type { RequestLog } from '../contract/request-log.ts'
import type { Trace } from '../contract/trace.ts'
import { toWireError } from '../errors/wire-error.ts'
import { sentContext } from './sent-context.ts'

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

/** The entry of a request in the log. */
export function endedRequest({
  address,
  rawUrl,
  rawHeaders,
  isClientGone,
  versionId,
  error,
  trace,
  ...known
}: Ended): RequestLog {
  const [path = ''] = rawUrl.split('?', 1)
  return {
    ...known,
    path,
    ...trace,
    ...sentContext(rawHeaders),
    ...(address !== undefined && { address }),
    ...(versionId !== undefined && { versionId }),
    ...(isClientGone && { isClientGone }),
    ...outcomeOf(error, isClientGone),
  }
}

function outcomeOf(error: unknown, isClientGone: boolean): Partial<RequestLog> {
  if (error === undefined) return {}
  // What was done for the client was stopped, with the reason that its signal gave.
  if (isClientGone && (error as Partial<Error> | null)?.name === 'AbortError') return { status: clientClosedRequest }
  return { error, errorCode: toWireError(error).code }
}
