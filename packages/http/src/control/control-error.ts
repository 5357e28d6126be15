/** Errors of the control API: `{ code, message, details, hint }`, as the API of the store throws them. */
import { type ErrorDetails, isStorageError, schema } from '@varve/core'
import { type ErrorRow, internal } from '../errors/error-row.ts'
import { errorTable } from '../errors/error-table.ts'
import { isS3Error } from '../errors/errors.ts'
import { quoted, quotedFields } from '../errors/quote.ts'

const { boolean, either, objectWith, optional, record, text, number } = schema

/** An error in an answer of the control API. */
export interface ControlError {
  readonly code: string
  readonly message: string
  readonly details: ErrorDetails
  /** What helps: an option, a call, a command or a page. */
  readonly hint?: string
}

/** Reads an error in an answer. */
export const controlErrorShape = objectWith<ControlError>({
  code: text(),
  message: text(),
  details: record(either<string | number | boolean>('text, a number, true or false', text(), number, boolean)),
  hint: optional(text()),
})

/**
 * Who may use the API owns the store, so errors keep their own texts, with cut quotes. An unknown error keeps its message
 * alone.
 */
export function controlErrorOf(error: unknown): ControlError {
  if (isStorageError(error)) {
    const { code, message, details, hint } = error
    return { ...shown(code, message, quotedFields(inJson(details))), ...(hint !== undefined && { hint: quoted(hint) }) }
  }
  if (isS3Error(error)) return shown(error.code, error.message)
  return shown('InternalError', error instanceof Error ? error.message : String(error))
}

const shown = (code: string, message: string, details: ErrorDetails = {}): ControlError => ({
  code,
  message: quoted(message),
  details,
})

/** JSON has no infinite numbers, and no `NaN`. */
function inJson(details: ErrorDetails): ErrorDetails {
  const values = Object.entries(details)
  const isOdd = (value: unknown): boolean => typeof value === 'number' && !Number.isFinite(value)
  if (!values.some(([, value]) => isOdd(value))) return details
  return Object.fromEntries(values.map(([name, value]) => [name, isOdd(value) ? String(value) : value]))
}

export function statusOf({ code }: ControlError): number {
  const row: ErrorRow | undefined = Object.hasOwn(errorTable, code)
    ? errorTable[code as keyof typeof errorTable]
    : undefined
  return (row ?? internal).status
}
