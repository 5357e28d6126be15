/** Reports an error to people or programs, on standard error. */
import { isStorageError, systemHintOf } from '@varve/core'
import { terminalJson } from '../../logs/terminal-json.ts'
import { ManyProblems } from './many-problems.ts'
import { Interrupted, OutputClosed, isUsageError } from './exit-codes.ts'
import { printable } from './printable.ts'
import { commandLine, withProgramName } from './program-name.ts'
import { plainStyle, type TerminalStyle } from './terminal-style.ts'

/** The message; `undefined` when the exit status is enough. */
export function errorReport(
  error: unknown,
  { json, style = plainStyle }: { readonly json: boolean; readonly style?: TerminalStyle },
): string | undefined {
  if (error instanceof OutputClosed) return undefined
  if (error instanceof Interrupted && !json) return undefined
  const { code, message, hint, ...others } = describeError(error)
  const problems = error instanceof ManyProblems ? error.problems : []
  // JSON leaves out what is undefined.
  if (json) return terminalJson({ error: { code, message, hint, ...others, ...(problems.length > 0 && { problems }) } })
  const name = style.paint('red', 'varve:')
  const isUsage = code === 'UsageError'
  const text = isUsage ? message : `${message} (${code})`
  return [...problems.map(printable), `${name} ${printable(text)}`, ...help(hint, isUsage)].join('\n')
}

/** Lines of their own, if there is something that helps. */
function help(hint: string | undefined, isUsage: boolean): readonly string[] {
  return [
    ...(hint === undefined ? [] : [`Hint: ${printable(hint)}`]),
    ...(isUsage ? [`${commandLine('--help')} says more.`] : []),
  ]
}

/** Message and code in one line, with those of the causes. */
export function errorText(error: unknown): string {
  const { code, message } = describeError(error)
  const cause = error instanceof Error && error.cause !== undefined ? `; cause: ${errorText(error.cause)}` : ''
  const problems = error instanceof ManyProblems ? ` ${error.problems.map(printable).join(' | ')}` : ''
  return `${printable(message)}${problems} (${printable(code)})${cause}`
}

/** ` Hint: …` for a text that goes on, or nothing. */
export function helpText(error: unknown): string {
  const { hint } = describeError(error)
  return hint === undefined ? '' : ` Hint: ${printable(hint)}`
}

interface ErrorFields {
  readonly code: string
  readonly message: string
  readonly details?: Readonly<Record<string, string | number | boolean>>
  readonly hint?: string
}

function describeError(error: unknown): ErrorFields {
  if (isStorageError(error)) {
    const { code, details } = error
    // Libraries do not know how the command was started.
    const [message, hint] = [withProgramName(error.message), error.hint && withProgramName(error.hint)]
    return { code, message, ...(hint !== undefined && { hint }), ...(Object.keys(details).length > 0 && { details }) }
  }
  if (isUsageError(error)) {
    const { name, message, hint } = error
    return { code: name, message, ...(hint !== undefined && { hint }) }
  }
  if (error instanceof Interrupted) return { code: error.name, message: error.message }
  if (error instanceof Error) {
    const { code, hint = systemHintOf(code) } = error as NodeJS.ErrnoException & { readonly hint?: unknown }
    return {
      code: typeof code === 'string' ? code : error.name,
      message: error.message,
      ...(typeof hint === 'string' && { hint }),
    }
  }
  return { code: 'Error', message: String(error) }
}
