import { connect } from 'node:net'
import type { Socket } from 'node:net'

/** A connection that sends exactly what it is given, and keeps what comes back. */
export interface RawClient {
  readonly socket: Socket
  send(text: string): void
  /** Everything received so far, one byte per character. */
  received(): string
  /** Resolves when what was received fits. */
  until(pattern: RegExp): Promise<string>
  /** Resolves with everything when the server has closed. */
  closed(): Promise<string>
}

/** @throws ECONNREFUSED */
export async function rawClient(port: number): Promise<RawClient> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  socket.on('error', () => undefined)
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(text)))
  return {
    socket,
    send: (more) => void socket.write(Buffer.from(more, 'latin1')),
    received: () => text,
    closed: () => ended,
    async until(pattern) {
      while (!pattern.test(text) && !socket.destroyed) await new Promise((resolve) => setTimeout(resolve, 5))
      if (!pattern.test(text)) throw new Error(`The server closed before ${String(pattern)}: ${text}`)
      return text
    },
  }
}

/** The head of a request from Node's flat list of headers. */
export function requestHead(method: string, url: string, rawHeaders: readonly string[]): string {
  let head = `${method} ${url} HTTP/1.1\r\n`
  for (let i = 0; i < rawHeaders.length; i += 2) head += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`
  return `${head}\r\n`
}
