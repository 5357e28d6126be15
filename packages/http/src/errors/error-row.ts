/** What an error answer says. */
import type { HttpErrorCode } from './errors.ts'

/** The answer for an error code. */
export interface ErrorRow {
  readonly status: number
  /** Sent when the error has no message of its own, and always when `wireCode` is set. */
  readonly message: string
  /** Clients see `message`, which is S3's text, instead of the engine's text for programmers. */
  readonly isTextOfS3?: true
  /** The code that clients see instead of a code that only the engine has. */
  readonly wireCode?: HttpErrorCode
}

/** The answer to all errors that a client cannot have caused. */
export const internal = {
  status: 500,
  message: 'We encountered an internal error. Please try again.',
  wireCode: 'InternalError',
} as const satisfies ErrorRow

export const unavailable = {
  status: 503,
  message: 'Service is unable to handle request.',
  wireCode: 'ServiceUnavailable',
} as const satisfies ErrorRow
