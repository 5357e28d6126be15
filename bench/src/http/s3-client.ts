/** Signed requests to one server over connections that are kept alive, one for each request in flight. */
import { createHash } from 'node:crypto'
import { signRequest } from 'varve/http'
import type { Answer } from './answer-reader.ts'
import { type Connection, openConnection } from './connection.ts'
import type { Credentials } from '../basics/credentials.ts'

/** Larger bodies are sent unsigned, as clients do. */
const signedBodyMax = 64 * 1024
const emptyHash = createHash('sha256').digest('hex')

export interface Asking {
  readonly method: string
  readonly path: string
  /** As in the request target: encoded and in order. */
  readonly query?: string
  readonly body?: Uint8Array
}

export interface S3Client {
  ask(asking: Asking): Promise<Answer>
  close(): void
}

export async function s3Client(url: string, credentials: Credentials, width: number): Promise<S3Client> {
  const { hostname, port, host } = new URL(url)
  const open = () => openConnection(hostname, Number(port))
  const free: Connection[] = await Promise.all(Array.from({ length: width }, open))
  return {
    async ask(asking) {
      const connection = free.pop() ?? (await open())
      try {
        return await connection.request(headOf(asking, host, credentials), asking.body)
      } finally {
        free.push(connection)
      }
    },
    close() {
      for (const connection of free) connection.close()
    },
  }
}

function headOf({ method, path, query = '', body }: Asking, host: string, credentials: Credentials): string {
  const headers: (readonly [string, string])[] = [['host', host]]
  if (body !== undefined) headers.push(['content-length', String(body.length)])
  const payloadHash = payloadHashOf(body)
  const signed = signRequest(
    { method, rawPath: path, rawQuery: query, headers },
    { ...credentials, now: Date.now(), payloadHash },
  )
  const lines = signed.headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `${method} ${path}${query === '' ? '' : `?${query}`} HTTP/1.1\r\n${lines}\r\n`
}

function payloadHashOf(body: Uint8Array | undefined): string {
  if (body === undefined) return emptyHash
  if (body.length > signedBodyMax) return 'UNSIGNED-PAYLOAD'
  return createHash('sha256').update(body).digest('hex')
}

/** Returns the response if it has this status. @throws Error with the server's message otherwise */
export function expectStatus(answer: Answer, status: number): Answer {
  if (answer.status === status) return answer
  throw new Error(`The server answered ${answer.status}: ${answer.body.toString('utf8', 0, 300)}`)
}

/** Counts how often a text occurs in a body. */
export function countOf(bytes: Buffer, text: string): number {
  let count = 0
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + text.length)) count++
  return count
}
