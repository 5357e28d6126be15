/** A bare TCP connection: bytes out as they are, answers in as they come. For what no HTTP client would send. */
import { connect as connectTcp, type Socket } from 'node:net'
import { answerOf, type Answer, type CallOptions, signedHeaders } from './call.ts'
import type { TestServer } from './server.ts'
import { assertSpelled } from './spelling.ts'

export interface Wire {
  /** Text is one byte per character. */
  send(bytes: string | Uint8Array): void
  /**
   * The next answer, interim ones included. `method`: of the request it answers.
   * @throws Error when the connection ends before it is whole
   */
  answer(method?: string): Promise<Answer>
  /** Resolves when the server has closed the connection. @throws Error when it has not within `ms` */
  closed(ms?: number): Promise<void>
  /** No more bytes will follow. */
  finish(): void
  /** Gone, as when the power fails. */
  vanish(): void
  /** Stops and starts reading. */
  readonly socket: Socket
}

export async function connect({ port }: Pick<TestServer, 'port'>): Promise<Wire> {
  const socket = connectTcp({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true })
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let received: Buffer = Buffer.alloc(0)
  let ended = false
  let wake: () => void = () => undefined
  const end = () => {
    ended = true
    wake()
  }
  socket
    .on('data', (piece: Buffer) => {
      received = Buffer.concat([received, piece])
      wake()
    })
    .on('end', end)
    .on('close', end)
    .on('error', end)
  const change = () => new Promise<void>((resolve) => (wake = resolve))
  return {
    socket,
    send: (bytes) => void socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes),
    async answer(method = 'GET') {
      for (;;) {
        const found = readAnswer(received, method, ended)
        if (found !== undefined) {
          received = received.subarray(found.size)
          return found.answer
        }
        if (ended) throw new Error(`The connection ended after: ${received.toString('latin1').slice(0, 500)}`)
        await change()
      }
    },
    async closed(ms = 3000) {
      const timer = setTimeout(() => socket.destroy(new Error('late')), ms)
      let late = false
      socket.once('error', (error) => (late = error.message === 'late'))
      while (!ended) await change()
      clearTimeout(timer)
      socket.destroy()
      if (late) throw new Error(`The connection is still open after ${ms} ms.`)
    },
    finish: () => void socket.end(),
    vanish: () => void socket.resetAndDestroy(),
  }
}

/** The bytes of a request: its line, the headers signed (see `CallOptions`), then `extra` as it is, then the body. */
export function requestBytes(
  server: TestServer,
  line: string,
  { extra = [], body = '', ...options }: Omit<CallOptions, 'body'> & { extra?: readonly string[]; body?: string } = {},
): string {
  const headers = signedHeaders(server, line, { payloadHash: 'UNSIGNED-PAYLOAD', ...options })
  return requestText(line, [...headers.map(([name, value]) => `${name}: ${value}`), ...extra], body)
}

export function requestText(line: string, headers: readonly string[], body = ''): string {
  return `${line} HTTP/1.1\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n${body}`
}

/** One request on a connection of its own. */
export async function exchange(server: TestServer, bytes: string | Uint8Array, method?: string): Promise<Answer> {
  const wire = await connect(server)
  wire.send(bytes)
  try {
    return await wire.answer(method)
  } finally {
    wire.socket.destroy()
  }
}

interface Found {
  readonly answer: Answer
  /** Bytes it took. */
  readonly size: number
}

function readAnswer(bytes: Buffer, method: string, ended: boolean): Found | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})(?: .*)?$/.exec(statusLine)?.[1])
  if (!(status >= 100)) throw new Error(`Not an answer: ${statusLine}`)
  assertSpelled(lines.map((line) => line.slice(0, line.indexOf(':'))))
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const rest = bytes.subarray(headEnd + 4)
  const body = bodyOf(rest, {
    bodiless: status < 200 || status === 204 || status === 304 || method === 'HEAD',
    headers,
    ended,
  })
  return body && { answer: answerOf(status, headers, body.bytes), size: headEnd + 4 + body.size }
}

function bodyOf(
  rest: Buffer,
  of: { readonly bodiless: boolean; readonly headers: Readonly<Record<string, string>>; readonly ended: boolean },
): { readonly bytes: Buffer; readonly size: number } | undefined {
  const length = of.headers['content-length']
  if (of.bodiless) return { bytes: Buffer.alloc(0), size: 0 }
  if (of.headers['transfer-encoding'] === 'chunked') return dechunk(rest)
  if (length === undefined) return of.ended ? { bytes: rest, size: rest.length } : undefined
  const size = Number(length)
  return rest.length < size ? undefined : { bytes: rest.subarray(0, size), size }
}

function dechunk(rest: Buffer): { readonly bytes: Buffer; readonly size: number } | undefined {
  const pieces: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = rest.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = Number.parseInt(rest.toString('latin1', at, lineEnd), 16)
    const next = lineEnd + 2 + size + 2
    if (rest.length < next) return undefined
    if (size === 0) return { bytes: Buffer.concat(pieces), size: next }
    pieces.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = next
  }
}
