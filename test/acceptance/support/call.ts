/** One signed request over a real connection, and its whole answer. */
import { createHash } from 'node:crypto'
import { type Agent, request as httpRequest } from 'node:http'
import { type SignedRequest, signRequest } from 'varve/http'
import type { TestServer } from './server.ts'
import { assertSpelled } from './spelling.ts'
import { parseXml, type XmlElement } from './xml.ts'

export type Pairs = readonly (readonly [name: string, value: string])[]

export interface CallOptions {
  /** The identity that signs. `nobody` sends no signature. @default 'root' */
  readonly as?: string
  /** Signed with the rest. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** @default the body's SHA-256 */
  readonly payloadHash?: string
  /** Milliseconds the client's clock is ahead. */
  readonly clockAheadMs?: number
  /** @default 'eu' */
  readonly region?: string
  readonly agent?: Agent
}

export interface Answer {
  readonly status: number
  /** Names in lower case; repeats joined by `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
  readonly text: string
  /** The root element. @throws Error when the body is not XML */
  xml(): XmlElement
  /** `Code` of an error, `undefined` of anything else. */
  code(): string | undefined
}

/** @param line `GET /bucket/key?query`: method, and path and query as they go over the wire. */
export async function call(server: TestServer, line: string, options: CallOptions = {}): Promise<Answer> {
  const [method = '', target = ''] = line.split(' ')
  const headers = signedHeaders(server, line, options)
  const body = bytesOf(options.body)
  return new Promise((resolve, reject) => {
    const { port } = server
    const requested = httpRequest({ host: '127.0.0.1', port, method, path: target, agent: options.agent ?? false })
    for (const [name, value] of headers) requested.setHeader(name, value)
    if (method !== 'GET' && method !== 'HEAD') requested.setHeader('content-length', body.length)
    requested.on('error', reject).on('response', (response) => {
      const pieces: Buffer[] = []
      response
        .on('data', (piece: Buffer) => pieces.push(piece))
        .on('error', reject)
        .on('end', () => {
          const { statusCode = 0, rawHeaders } = response
          try {
            assertSpelled(rawHeaders.filter((_, at) => at % 2 === 0))
            resolve(answerOf(statusCode, response.headers, Buffer.concat(pieces)))
          } catch (error) {
            reject(error)
          }
        })
    })
    requested.end(body)
  })
}

/** The headers of a request, signed unless `as` is `nobody`. `line` as for `call`. */
export function signedHeaders(server: TestServer, line: string, options: CallOptions = {}): Pairs {
  if (options.as === 'nobody') return [['host', server.host], ...Object.entries(options.headers ?? {})]
  return sign(server, line, options).headers
}

/** The whole of what signing gives: the headers, and the seed of chunk signatures. */
export function sign(server: TestServer, line: string, options: CallOptions = {}): SignedRequest {
  const { as = 'root', region = 'eu', clockAheadMs = 0, headers = {} } = options
  const payloadHash = options.payloadHash ?? sha256(bytesOf(options.body))
  return signRequest(
    { ...targetOf(line), headers: [['host', server.host], ...Object.entries(headers)] },
    { ...server.credentials(as), region, now: Date.now() + clockAheadMs, payloadHash },
  )
}

/** What a line means to a signer. */
export function targetOf(line: string): { method: string; rawPath: string; rawQuery: string } {
  const [method = '', target = ''] = line.split(' ')
  const mark = target.indexOf('?')
  if (mark === -1) return { method, rawPath: target, rawQuery: '' }
  return { method, rawPath: target.slice(0, mark), rawQuery: target.slice(mark + 1) }
}

export function answerOf(
  status: number,
  given: Readonly<Record<string, string | readonly string[] | undefined>>,
  body: Buffer,
): Answer {
  const headers = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, typeof value === 'object' ? value.join(', ') : value]),
  )
  const text = body.toString('utf8')
  const xml = () => parseXml(text)
  return { status, headers, body, text, xml, code: () => (text.includes('<Error>') ? xml().get('Code') : undefined) }
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function bytesOf(body: string | Uint8Array = ''): Uint8Array {
  return typeof body === 'string' ? Buffer.from(body, 'utf8') : body
}
