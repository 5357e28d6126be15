/** Standard output, at the pace of its reader. If the reader closes it, the work ends without an error. */
import { terminalJson } from '../../logs/terminal-json.ts'
import { OutputClosed } from './exit-codes.ts'
import { printableLines } from './printable.ts'
import { paintedChange, plainStyle, type TerminalStyle } from './terminal-style.ts'

export interface Output {
  /** Resolves when more may be written. @throws OutputClosed */
  write(data: string | Uint8Array): Promise<void>
  /** Writes a text as lines, with escapes for what a terminal would interpret, except line feeds. */
  line(text: string): Promise<void>
  /** A line that begins with a sign for what it does: `+`, `-`, `~` or `!`. */
  change(text: string): Promise<void>
  /** Writes one value as one line, with escapes for what a terminal would interpret. */
  json(value: unknown): Promise<void>
  /** Resolves when all output was passed to the system. @throws OutputClosed */
  flush(): Promise<void>
  /** How text for people looks where it is written to. */
  readonly style: TerminalStyle
}

export function outputTo(stream: NodeJS.WritableStream, style: TerminalStyle = plainStyle): Output {
  let failure: Error | undefined
  // Without a listener an EPIPE would be an uncaught exception.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    failure ??= named(error)
  })

  const write = (data: string | Uint8Array, wait = false): Promise<void> => {
    if (failure !== undefined) return Promise.reject(failure)
    return new Promise((resolve, reject) => {
      const room = stream.write(data, (error) => (error ? reject(named(error)) : resolve()))
      if (room && !wait) resolve()
    })
  }
  const isPainted = style.paint !== plainStyle.paint
  const line = (text: string) => write(`${printableLines(text, isPainted)}\n`)
  return {
    write,
    line,
    change: (text) => line(paintedChange(style, text)),
    json: (value) => write(`${terminalJson(value)}\n`),
    flush: () => write('', true),
    style,
  }
}

const named = (error: NodeJS.ErrnoException): Error =>
  error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED'
    ? new OutputClosed('The reader of the output has gone.')
    : error
