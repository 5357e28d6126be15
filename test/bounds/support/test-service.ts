/** Signed requests to a served store, with bodies as streams and ways to leave in the middle. */
import { createHash, createHmac } from 'node:crypto'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { type SignedRequest, signRequest } from 'varve/http'
import { credentials } from './served-store.ts'

/** How the bytes of a body are vouched for. */
export type Payload = 'unsigned' | 'signed' | 'chunked' | 'signed-chunks'

export interface Send {
  /** Sent piece by piece, with back-pressure. */
  readonly body?: readonly Uint8Array[] | AsyncIterable<Uint8Array>
  /** Bytes of the body. @default their sum, when the body is a list */
  readonly length?: number
  readonly payload?: Payload
  /** Hex SHA-256 of the body, for `signed`. */
  readonly sha256?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Takes the bytes of the answer instead of `Reply.body`; may make the server wait. */
  readonly onChunk?: (chunk: Buffer) => unknown
  /** Receives the request when its head is sent, so that a test can abort it half way. */
  readonly onSent?: (sent: ClientRequest) => void
}

export interface Reply {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: Buffer
  /** The code of an S3 error, wherever in the body it stands: completions answer 200 before they know. */
  readonly code: string | undefined
}

export interface Address {
  readonly port: number
}

export class TestService {
  /** Where the server is; it may have moved when it was started again. */
  address: Address
  readonly #agent: Agent
  readonly #now: () => number

  constructor(
    address: Address,
    { connections = 32, now = Date.now }: { connections?: number; now?: () => number } = {},
  ) {
    this.address = address
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections })
    this.#now = now
  }

  /** `line`: method and target, percent-encoded. @throws Error when the connection fails before the answer is whole */
  async send(line: string, options: Send = {}): Promise<Reply> {
    const { port } = this.address
    const { body = [], payload = 'unsigned', onChunk, onSent } = options
    const [method = '', path = ''] = line.split(' ')
    const length = options.length ?? lengthOf(body)
    const signed = this.#sign(method, path, { ...options, length })
    const framed = payload === 'signed-chunks' || payload === 'chunked'
    const headers = {
      ...Object.fromEntries(signed.headers),
      'content-length': String(framed ? framedLength(length, payload) : length),
    }
    return new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: this.#agent })
      sent.on('response', (response) => void collect(response, onChunk).then(resolve, reject))
      sent.on('error', reject)
      onSent?.(sent)
      const bytes = framed ? frames(body, signed, payload === 'signed-chunks') : body
      void pour(bytes, sent).catch((error: unknown) => sent.destroy(error as Error))
    })
  }

  /** As `send`. @throws Error for any other answer than 2xx without an error in it */
  async expect(line: string, options: Send = {}): Promise<Reply> {
    const reply = await this.send(line, options)
    if (reply.status >= 300 || reply.code !== undefined) {
      throw new Error(`${line} answered ${reply.status} ${reply.code ?? ''}: ${reply.body.toString('utf8', 0, 500)}`)
    }
    return reply
  }

  /** Closes the unused connections. */
  close(): void {
    this.#agent.destroy()
  }

  #sign(method: string, path: string, { payload, sha256, length, headers }: Send): SignedRequest {
    const [rawPath = '', rawQuery = ''] = path.split('?')
    const framing: Record<string, string> =
      payload === 'signed-chunks' || payload === 'chunked'
        ? { 'content-encoding': 'aws-chunked', 'x-amz-decoded-content-length': String(length) }
        : {}
    const word = {
      unsigned: 'UNSIGNED-PAYLOAD',
      signed: sha256 ?? '',
      chunked: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
      'signed-chunks': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
    }[payload ?? 'unsigned']
    const all = { host: `127.0.0.1:${this.address.port}`, ...framing, ...headers }
    return signRequest(
      { method, rawPath, rawQuery, headers: Object.entries(all) },
      { ...credentials, region: 'eu', now: this.#now(), payloadHash: word },
    )
  }
}

const lengthOf = (body: Send['body']): number =>
  Array.isArray(body) ? body.reduce((total, piece: Uint8Array) => total + piece.length, 0) : 0

async function pour(body: AsyncIterable<Uint8Array> | readonly Uint8Array[], sent: ClientRequest): Promise<void> {
  for await (const piece of body) {
    if (sent.destroyed) return
    if (!sent.write(piece)) await flowing(sent)
  }
  sent.end()
}

function flowing(sent: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      sent.off('drain', done).off('close', done).off('response', done)
      resolve()
    }
    // A server that answers early may take no more.
    sent.on('drain', done).on('close', done).on('response', done)
  })
}

async function collect(response: IncomingMessage, onChunk: Send['onChunk']): Promise<Reply> {
  const chunks: Buffer[] = []
  for await (const chunk of response) {
    if (onChunk === undefined || (response.statusCode ?? 0) >= 300) chunks.push(chunk as Buffer)
    else await onChunk(chunk as Buffer)
  }
  const body = Buffer.concat(chunks)
  const text = body.length < 10_000 ? body.toString('latin1') : ''
  const code = text.includes('<Error>') ? /<Code>(.*?)<\/Code>/.exec(text)?.[1] : undefined
  return { status: response.statusCode ?? 0, headers: response.headers, body, code }
}

const frameBytes = 64 * 1024
const signatureLength = ';chunk-signature='.length + 64

function framedLength(length: number, payload: Payload): number {
  const extra = payload === 'signed-chunks' ? signatureLength : 0
  const frame = (size: number) => size.toString(16).length + extra + 2 + size + 2
  const rest = length % frameBytes
  return Math.floor(length / frameBytes) * frame(frameBytes) + (rest === 0 ? 0 : frame(rest)) + frame(0)
}

/** aws-chunked: as the wire has it, signed chunk by chunk or not at all. */
async function* frames(
  body: AsyncIterable<Uint8Array> | readonly Uint8Array[],
  seed: SignedRequest,
  signs: boolean,
): AsyncGenerator<Uint8Array> {
  let previous = seed.seedSignature
  const head = (data: Uint8Array): string => {
    if (!signs) return `${data.length.toString(16)}\r\n`
    const text = ['AWS4-HMAC-SHA256-PAYLOAD', seed.amzDate, seed.scope, previous, sha256(''), sha256(data)].join('\n')
    previous = createHmac('sha256', seed.signingKey).update(text).digest('hex')
    return `${data.length.toString(16)};chunk-signature=${previous}\r\n`
  }
  for await (const data of regrouped(body)) {
    yield Buffer.from(head(data), 'latin1')
    yield data
    yield lineEnd
  }
  yield Buffer.from(`${head(new Uint8Array())}\r\n`, 'latin1')
}

async function* regrouped(body: AsyncIterable<Uint8Array> | readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  let held: Buffer = Buffer.alloc(0)
  for await (const piece of body) {
    held = held.length === 0 ? Buffer.from(piece.buffer, piece.byteOffset, piece.length) : Buffer.concat([held, piece])
    for (; held.length >= frameBytes; held = held.subarray(frameBytes)) yield held.subarray(0, frameBytes)
  }
  if (held.length > 0) yield held
}

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')
const lineEnd = Buffer.from('\r\n')
