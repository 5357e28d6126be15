/** The audit log: a line for each refusal and for each action of the control API. */
import { callListener } from '@varve/core'
import type { RequestLog } from '../contract/request-log.ts'
import { toWireError } from '../errors/wire-error.ts'
import type { RequestLine, RequestLogger } from './request-logger.ts'

/** Codes of refusals whose status has other meanings too. */
const refusals: ReadonlySet<string> = new Set([
  'AuthorizationHeaderMalformed',
  'AuthorizationQueryParametersError',
  'ExpiredToken',
  'InvalidToken',
  'RequestExpired',
  'SlowDown',
  'TokenRefreshRequired',
])

/** No bucket and no key has a longer name. */
const nameMax = 1024

/** An action over the control socket of a store. */
export interface SocketAction {
  readonly requestId: string | undefined
  /** The name of the actor: `local`, or the one that the caller states. */
  readonly identity: string
  readonly method: string
  readonly operation: string | undefined
  readonly bucket?: string | undefined
  readonly key?: string | undefined
  readonly status: number
  readonly errorCode: string | undefined
}

/** Writes a line if the request was refused, or was an action of the control API. */
export function auditRequest(logger: RequestLogger, entry: RequestLog): void {
  const isRefused = isRefusal(entry)
  if (!isRefused && entry.isControl !== true) return
  const { operation, path, error } = entry
  write(logger, entry.status, {
    kind: entry.isControl === true ? 'control' : 'refusal',
    via: 'http',
    requestId: entry.requestId,
    address: entry.address,
    identity: entry.identityName,
    accessKeyId: entry.accessKeyId,
    claimedAccessKeyId: entry.accessKeyId === undefined ? claimedIn(error) : undefined,
    method: entry.method,
    operation,
    bucket: entry.bucket?.slice(0, nameMax),
    key: entry.key?.slice(0, nameMax),
    path: operation === undefined ? path.slice(0, nameMax) : undefined,
    status: entry.status,
    errorCode: entry.errorCode,
    at: entry.at,
    seq: entry.seq,
    traceId: entry.traceId,
    userAgent: entry.userAgent,
  })
}

export function auditSocket(logger: RequestLogger, action: SocketAction): void {
  write(logger, action.status, { kind: 'control', via: 'socket', ...action })
}

function write(logger: RequestLogger, status: number, line: RequestLine): void {
  callListener(
    () => logger[status < 400 ? 'info' : 'warn'](line),
    () => undefined,
  )
}

const isRefusal = ({ status, errorCode }: RequestLog): boolean =>
  status === 401 || status === 403 || status === 429 || (errorCode !== undefined && refusals.has(errorCode))

/** The access key id of a signature that is not valid: anyone can write any id. */
function claimedIn(error: unknown): string | undefined {
  return error === undefined ? undefined : toWireError(error).details['AWSAccessKeyId']?.slice(0, 128)
}
