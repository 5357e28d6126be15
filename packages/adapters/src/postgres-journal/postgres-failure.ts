/** What errors of the database and of connections mean. */
import { type ErrorCode, isStorageError, StorageError } from '@varve/core'
import { errnoOf } from '../files/errno.ts'
import { isTlsCode } from '../system/tls-codes.ts'

const codes: ReadonlyMap<string, ErrorCode> = new Map([
  // disk_full
  ['53100', 'NoSpace'],
  // too_many_connections
  ['53300', 'TooManyOpenFiles'],
])

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** What pg says of a server that answers a request for TLS with a refusal. */
const withoutTls = 'The server does not support SSL connections'

/** True if a connection with TLS is not possible before somebody changes a certificate or a setting. */
const isOfTls = (cause: unknown): boolean => isTlsCode(errnoOf(cause)) || messageOf(cause) === withoutTls

/** `details.kind` is the SQLSTATE, `tls` with Node's code as `details.code`, the code of the system, or `connection`. */
export function postgresFailure(cause: unknown, doing: string): StorageError {
  if (isStorageError(cause)) return cause
  const code = errnoOf(cause)
  if (isOfTls(cause)) {
    const message = `${doing} failed: no connection with TLS can be made: ${reasonOf(cause)}`
    return new StorageError('JournalFailed', message, { details: { kind: 'tls', ...(code && { code }) }, cause })
  }
  const kind = code || 'connection'
  const message = `${doing} failed: ${messageOf(cause)}`
  return new StorageError(codes.get(kind) ?? 'JournalFailed', message, { details: { kind }, cause })
}

/** Messages of OpenSSL have addresses in memory and lines of its source; its errors have the reason beside them. */
function reasonOf(cause: unknown): string {
  const { reason } = Object(cause) as { readonly reason?: unknown }
  const text = typeof reason === 'string' ? reason : messageOf(cause)
  return errnoOf(cause) === '' ? text : `${text} (${errnoOf(cause)})`
}

/** serialization_failure and deadlock_detected: the server undid the transaction, and it can be tried again. */
export const mayBeTriedAgain = (error: unknown): boolean => ['40001', '40P01'].includes(errnoOf(error))

/** True if a later attempt to connect may succeed: there is no answer, or the server starts, stops or is full. */
export const mayBeConnectedLater = (error: unknown): boolean =>
  !isStorageError(error) && !isOfTls(error) && (!/^\d/.test(errnoOf(error)) || passing.test(errnoOf(error)))

/** cannot_connect_now, admin_shutdown, crash_shutdown, too_many_connections, and what a pooler without a server answers. */
const passing = /^(57P03|57P01|57P02|53300|08\w{3})$/

/** True if the connection was lost under a statement. Its answer never comes, and a read may be sent again on another one. */
export const isLostConnection = (error: unknown): boolean =>
  /^(ECONNRESET|EPIPE|ETIMEDOUT|57P0[123]|08\w{3})$/.test(errnoOf(error)) || messageOf(error) === ended

/** What pg says of a connection that the other side has closed. */
const ended = 'Connection terminated unexpectedly'
