/** Converts errors for sending to another process: message, name and code, without the stack. */
import { isStorageError, StorageError } from '@varve/core'

export interface PlainError {
  readonly name: string
  readonly message: string
  readonly code?: string
  readonly details?: StorageError['details']
  readonly hint?: string | undefined
  readonly cause?: PlainError
}

export function plainError(error: unknown): PlainError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { name, message, cause } = error
  const { code } = error as NodeJS.ErrnoException
  return {
    name,
    message,
    ...(typeof code === 'string' && { code }),
    ...(isStorageError(error) && { details: error.details, hint: error.hint }),
    ...(cause !== undefined && { cause: plainError(cause) }),
  }
}

export function errorOf({ name, message, code, details, hint, cause }: PlainError): Error {
  const because = cause === undefined ? {} : { cause: errorOf(cause) }
  if (name === 'StorageError') {
    return new StorageError(code as StorageError['code'], message, { ...(details && { details }), hint, ...because })
  }
  const error = name === 'TypeError' ? new TypeError(message, because) : new Error(message, because)
  return Object.assign(error, { name, ...(code !== undefined && { code }) })
}
