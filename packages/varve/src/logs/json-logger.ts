/** A logger of `pino` whose lines are safe for a terminal and for programs that read lines. */
import { type Logger, pino } from 'pino'

export type LogLevel = 'info' | 'warn' | 'error'

/** Receives a line, with its newline. */
export interface LineSink {
  write(line: string): void
}

export function jsonLogger(sink: LineSink, level: LogLevel = 'info'): Logger {
  const options = {
    level,
    base: null,
    timestamp: isoTime(),
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: withEscapes },
  }
  return pino(options, sink)
}

/** As `isoTime` of pino, but lines of the same millisecond share the text. */
function isoTime(): () => string {
  let [time, text] = [0, '']
  return () => {
    const now = Date.now()
    if (now !== time) text = `,"time":"${new Date(now).toISOString()}"`
    time = now
    return text
  }
}

/** JSON escapes C0. These are other control characters, line separators, and what changes the direction of text. */
const unsafe = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/
const everyUnsafe = new RegExp(unsafe, 'g')

/** Only strings of a line can contain such a character. */
const withEscapes = (line: string): string =>
  unsafe.test(line)
    ? line.replace(everyUnsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : line
