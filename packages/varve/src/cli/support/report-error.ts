/** Reports an error to people or programs, on standard error. */
import { isStorageError } from '@varve/core'
import { terminalJson } from '../../logs/terminal-json.ts'
import { ManyProblems } from './many-problems.ts'
import { Interrupted, OutputClosed, isUsageError } from './exit-codes.ts'
import { printable } from './printable.ts'
import { plainStyle, type TerminalStyle } from './terminal-style.ts'

/** The message; `undefined` when the exit status is enough. */
export function errorReport(
  error: unknown,
  { json, style = plainStyle }: { readonly json: boolean; readonly style?: TerminalStyle },
): string | undefined {
  if (error instanceof OutputClosed) return undefined
  if (error instanceof Interrupted && !json) return undefined
  const { code, message, details } = describeError(error)
  const problems = error instanceof ManyProblems ? error.problems : []
  const fields = { ...(details !== undefined && { details }), ...(problems.length > 0 && { problems }) }
  if (json) return terminalJson({ error: { code, message, ...fields } })
  const name = style.paint('red', 'varve:')
  if (code === 'UsageError') return `${name} ${printable(message)}\nvarve --help says more.`
  return [...problems.map(printable), `${name} ${printable(`${message} (${code})`)}`].join('\n')
}

/** Message and code in one line, with those of the causes. */
export function errorText(error: unknown): string {
  const { code, message } = describeError(error)
  const cause = error instanceof Error && error.cause !== undefined ? `; cause: ${errorText(error.cause)}` : ''
  const problems = error instanceof ManyProblems ? ` ${error.problems.map(printable).join(' | ')}` : ''
  return `${printable(message)}${problems} (${printable(code)})${cause}`
}

interface ErrorFields {
  readonly code: string
  readonly message: string
  readonly details?: Readonly<Record<string, string | number | boolean>>
}

function describeError(error: unknown): ErrorFields {
  if (isStorageError(error)) {
    const { code, message, details } = error
    return { code, message, ...(Object.keys(details).length > 0 && { details }) }
  }
  if (isUsageError(error) || error instanceof Interrupted) return { code: error.name, message: error.message }
  if (error instanceof Error) {
    const { code } = error as NodeJS.ErrnoException
    return { code: typeof code === 'string' ? code : error.name, message: error.message }
  }
  return { code: 'Error', message: String(error) }
}
