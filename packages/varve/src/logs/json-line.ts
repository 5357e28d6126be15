/** A line of a log: a flat JSON object that is safe for a terminal and for programs that read lines. */
import type { RequestLine } from '@varve/http'
import { terminalJson } from './terminal-json.ts'

export type LogLevel = 'info' | 'warn' | 'error'

/** What a line is made of. */
export interface LoggedLine {
  readonly level: LogLevel
  /** Milliseconds since 1970. */
  readonly time: number
  readonly line: RequestLine
}

/** With its newline. */
export const jsonLine = ({ level, time, line }: LoggedLine): string =>
  `{"level":"${level}","time":"${isoTime(time)}"${membersOf(line)}}\n`

let shared = { time: 0, text: new Date(0).toISOString() }

/** Lines of the same millisecond share the text. */
function isoTime(time: number): string {
  if (time !== shared.time) shared = { time, text: new Date(time).toISOString() }
  return shared.text
}

function membersOf(line: RequestLine): string {
  let members = ''
  for (const name in line) {
    const value = line[name]
    if (value !== undefined) members += `,"${name}":${typeof value === 'string' ? quoted(value) : String(value)}`
  }
  return members
}

const plain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

const quoted = (value: string): string => (plain.test(value) ? `"${value}"` : terminalJson(value))
