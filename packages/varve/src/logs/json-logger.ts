import type { RequestLine, RequestLogger } from '@varve/http'
import type { LoggedLine, LogLevel } from './json-line.ts'

const levels: readonly LogLevel[] = ['info', 'warn', 'error']
const ignored = (): void => undefined

/**
 * A logger that passes lines on, each with the time of the call. A general logger would take twice as long for a line, and a server
 * writes one for each request.
 *
 * @param level The least level of a line.
 */
export function jsonLogger(write: (line: LoggedLine) => void, level: LogLevel = 'info'): RequestLogger {
  const ofLevel = (own: LogLevel) =>
    levels.indexOf(own) < levels.indexOf(level)
      ? ignored
      : (line: RequestLine): void => write({ level: own, time: Date.now(), line })
  return { info: ofLevel('info'), warn: ofLevel('warn'), error: ofLevel('error') }
}
