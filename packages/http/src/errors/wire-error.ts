/** Converts any thrown value to the error that the client sees. */
import { type ErrorCode, isStorageError, type StorageError } from '@varve/core'
import { type ErrorRow, internal } from './error-row.ts'
import { errorTable } from './error-table.ts'
import { type HttpErrorCode, isS3Error } from './errors.ts'
import { quoted } from './quote.ts'

/** An error as clients see it, with cut quotes. `details` are further elements of the document, in order. */
export interface WireError {
  readonly code: string
  readonly status: number
  /** Never empty. */
  readonly message: string
  readonly details: Readonly<Record<string, string>>
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The answer to any thrown value. Never throws. Codes of S3 keep their message and details. Codes of the engine and
 * unknown errors get the table's texts only, so that no path, stack or internal text reaches the client.
 */
export function toWireError(error: unknown): WireError {
  if (isS3Error(error)) return wire(error, error.headers)
  if (isStorageError(error)) return wire(error, {})
  return { code: 'InternalError', status: internal.status, message: internal.message, details: {}, headers: {} }
}

function wire(
  error: {
    readonly code: HttpErrorCode | ErrorCode
    readonly message: string
    readonly details: StorageError['details']
  },
  headers: Readonly<Record<string, string>>,
): WireError {
  const row: ErrorRow | undefined = Object.hasOwn(errorTable, error.code) ? errorTable[error.code] : undefined
  const { status, message, wireCode, isTextOfS3 }: ErrorRow = row ?? internal
  const code = wireCode ?? error.code
  if (code === 'SlowDown') return { code, status, message, details: {}, headers: { 'retry-after': '1', ...headers } }
  if (wireCode !== undefined) return { code: wireCode, status, message, details: {}, headers }
  const { details } = error
  return {
    code: error.code,
    status,
    message: isTextOfS3 && !isS3Error(error) ? message : quoted(error.message) || message,
    details: elements(details),
    headers: status === 405 ? { allow: isOfMarker(details) ? 'DELETE' : methodsOfS3, ...headers } : headers,
  }
}

/** HTTP requires `Allow` in every 405. An error that knows more about its resource has the header itself. */
const methodsOfS3 = 'DELETE, GET, HEAD, POST, PUT'

const isOfMarker = (details: StorageError['details']): boolean => details['ResourceType'] === 'DeleteMarker'

/** Elements of every error document, which details must not repeat. */
const taken: ReadonlySet<string> = new Set(['Code', 'Message', 'Resource', 'RequestId', 'HostId'])
const elementName = /^[A-Za-z][A-Za-z0-9-]*$/

function elements(details: StorageError['details']): Readonly<Record<string, string>> {
  const named = Object.entries(details).filter(([name]) => elementName.test(name) && !taken.has(name))
  return Object.fromEntries(named.map(([name, value]) => [name, quoted(String(value), name)]))
}
