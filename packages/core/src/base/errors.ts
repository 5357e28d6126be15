/**
 * The errors of a store. `code` is API: S3's own code if S3 has one, otherwise a code of Varve.
 * Messages are for people and may change. HTTP status numbers are in the HTTP package.
 */
import type { ErrorCode } from './error-codes.ts'
import { hintOf, systemHintOf } from './hints.ts'

export type { EngineErrorCode, ErrorCode, S3ErrorCode } from './error-codes.ts'

/** Facts about an error, for people and programs. They never contain secrets or paths of keys. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean>>

/** Errors quote what a caller gave. Each quote is cut, so that a log of errors is not as long as what was given. */
const textMax = 4096

function bounded(text: string): string {
  if (text.length <= textMax) return text
  // Not between the halves of a surrogate pair.
  const isWithin = (text.codePointAt(textMax - 2) ?? 0) > 0xffff
  return `${text.slice(0, isWithin ? textMax - 2 : textMax - 1)}…`
}

const boundedDetails = (details: ErrorDetails): ErrorDetails =>
  Object.values(details).some((value) => typeof value === 'string' && value.length > textMax)
    ? Object.fromEntries(
        Object.entries(details).map(([name, value]) => [name, typeof value === 'string' ? bounded(value) : value]),
      )
    : details

function systemCodeOf(cause: unknown): unknown {
  try {
    return cause instanceof Error ? (cause as { readonly code?: unknown }).code : undefined
  } catch {
    // Any value can be a cause, even a proxy that throws.
    return undefined
  }
}

/** The only error class. Its texts are cut at 4,096 characters. Test `code`, not the class: see `isStorageError`. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly code: ErrorCode
  readonly details: ErrorDetails
  /** What helps: the option, call, command or page, for people. It may change, and many errors of S3 have none. */
  declare readonly hint?: string

  /** @param options `hint`: what helps, if the general hint for the code is not good enough. */
  constructor(
    code: ErrorCode,
    message: string,
    options: { readonly details?: ErrorDetails; readonly cause?: unknown; readonly hint?: string | undefined } = {},
  ) {
    super(bounded(message), options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = boundedDetails(options.details ?? {})
    const hint = options.hint ?? hintOf(code) ?? systemHintOf(options.details?.['errno'] ?? systemCodeOf(options.cause))
    // An own field only if there is one, so that errors without a hint are shown without it.
    if (hint !== undefined) this.hint = bounded(hint)
  }
}

/** True for errors with one of our codes, from any copy of the package. Pass codes to narrow further. */
export function isStorageError<C extends ErrorCode = ErrorCode>(
  error: unknown,
  ...codes: readonly C[]
): error is StorageError & { readonly code: C } {
  const code = codeOf(error, 'StorageError')
  return code !== undefined && (codes.length === 0 || codes.includes(code as C))
}

/**
 * The code of an error with this name, from any copy of a package; `undefined` for anything else. Never throws: any
 * value can be caught, even a proxy.
 */
export function codeOf(error: unknown, name: string): string | undefined {
  try {
    if (!(error instanceof Error) || error.name !== name) return undefined
    const { code } = error as Partial<StorageError>
    return typeof code === 'string' ? code : undefined
  } catch {
    return undefined
  }
}
