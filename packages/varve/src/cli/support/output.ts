/** Standard output, at the pace of its reader. If the reader closes it, the work ends without an error. */
import { OutputClosed } from './exit-codes.ts'

export interface Output {
  /** Resolves when more may be written. @throws OutputClosed */
  write(data: string | Uint8Array): Promise<void>
  line(text: string): Promise<void>
  /** Writes one value as one line. */
  json(value: unknown): Promise<void>
  /** Resolves when all output was passed to the system. @throws OutputClosed */
  flush(): Promise<void>
}

export function outputTo(stream: NodeJS.WritableStream): Output {
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
  const line = (text: string) => write(`${text}\n`)
  return { write, line, json: (value) => line(JSON.stringify(value)), flush: () => write('', true) }
}

const named = (error: NodeJS.ErrnoException): Error =>
  error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED'
    ? new OutputClosed('The reader of the output has gone.')
    : error
