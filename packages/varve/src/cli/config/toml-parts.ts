/** The statements of a TOML file, each parsed by itself, so that each has its place and one mistake does not hide the next. */
import { parse, TomlError } from 'smol-toml'
import type { ConfigEntry, ConfigParts, ConfigProblem } from './config-entry.ts'

/** A statement of more lines is not a setting. It also bounds how often the lines after an open bracket are read. */
const linesMax = 500
const problemsMax = 20

interface Statement {
  /** The number of its lines. */
  readonly lines: number
  readonly fields: Readonly<Record<string, unknown>>
}

export function tomlParts(text: string): ConfigParts {
  const lines = text.split('\n')
  const entries: ConfigEntry[] = []
  const problems: ConfigProblem[] = []
  let isInTable = false
  for (let at = 0; at < lines.length && problems.length < problemsMax; ) {
    const statement = statementAt(lines, at)
    if (statement instanceof TomlError) {
      problems.push({ line: at + statement.line, column: statement.column, rule: ruleOf(statement) })
      at++
      continue
    }
    const [first = ''] = lines.slice(at, at + 1)
    const place = { line: at + 1, column: first.search(/\S/) + 1 }
    const isHeader = first.trimStart().startsWith('[')
    isInTable ||= isHeader
    // The fields of a table belong to it, and its header is reported.
    for (const [name, value] of isInTable && !isHeader ? [] : Object.entries(statement.fields))
      entries.push({ name, value, ...place })
    at += statement.lines
  }
  return { entries, problems }
}

/** The shortest run of lines that is valid by itself; otherwise the error of the first line, or of all where it stays open. */
function statementAt(lines: readonly string[], at: number): Statement | TomlError {
  let problem: TomlError | undefined
  const end = Math.min(lines.length, at + linesMax)
  for (let to = at + 1; to <= end; to++) {
    try {
      return { lines: to - at, fields: parse(lines.slice(at, to).join('\n')) }
    } catch (error) {
      if (!(error instanceof TomlError)) throw error
      problem ??= error
    }
  }
  return problem as TomlError
}

/** Without the excerpt, whose line numbers are those of the statement. */
const ruleOf = ({ message }: TomlError): string =>
  `this is not TOML: ${message.replace(/^Invalid TOML document: /, '').split('\n', 1)[0]}`
