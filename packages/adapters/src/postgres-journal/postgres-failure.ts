/** What errors of the database and of connections mean. */
import { type ErrorCode, isStorageError, StorageError } from '@varve/core'
import { errnoOf } from '../files/errno.ts'

const codes: ReadonlyMap<string, ErrorCode> = new Map([
  // disk_full
  ['53100', 'NoSpace'],
  // too_many_connections
  ['53300', 'TooManyOpenFiles'],
])

/** `details.kind` is the SQLSTATE, or the code of the system, or `connection`. */
export function postgresFailure(cause: unknown, doing: string): StorageError {
  if (isStorageError(cause)) return cause
  const kind = errnoOf(cause) || 'connection'
  const message = `${doing} failed: ${cause instanceof Error ? cause.message : String(cause)}`
  return new StorageError(codes.get(kind) ?? 'JournalFailed', message, { details: { kind }, cause })
}

/** serialization_failure and deadlock_detected: the server undid the transaction, and it can be tried again. */
export const mayBeTriedAgain = (error: unknown): boolean => ['40001', '40P01'].includes(errnoOf(error))

/** True if a later attempt to connect may succeed: there is no answer, or the server starts, stops or is full. */
export const mayBeConnectedLater = (error: unknown): boolean =>
  !isStorageError(error) && (!/^\d/.test(errnoOf(error)) || passing.test(errnoOf(error)))

/** cannot_connect_now, admin_shutdown, crash_shutdown, too_many_connections, and what a pooler without a server answers. */
const passing = /^(57P03|57P01|57P02|53300|08\w{3})$/
