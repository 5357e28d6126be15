/** A server as a target: signed requests over connections kept alive, as many as there are requests in flight. */
import { createHash } from 'node:crypto'
import { signRequest } from '../../http.ts'
import { type ObjectTarget, pageEntries } from '../targets/object-target.ts'
import { bucket } from '../targets/store-target.ts'
import type { Answer } from './answer-reader.ts'
import { type Connection, openConnection } from './connection.ts'
import { credentials, region } from './credentials.ts'

/** Larger bodies go unsigned, as clients send them. */
const signedBodyMax = 64 * 1024
const emptyHash = createHash('sha256').digest('hex')

interface Asking {
  readonly method: string
  readonly path: string
  readonly query?: string
  readonly body?: Uint8Array
}

export async function httpTarget(url: string, width: number): Promise<ObjectTarget> {
  const { hostname, port, host } = new URL(url)
  const open = () => openConnection(hostname, Number(port))
  const free: Connection[] = await Promise.all(Array.from({ length: width }, open))
  const ask = async (asking: Asking): Promise<Answer> => {
    const connection = free.pop() ?? (await open())
    try {
      return await connection.request(headOf(asking, host), asking.body)
    } finally {
      free.push(connection)
    }
  }
  const pathOf = (key: string) => `/${bucket}/${key}`
  return {
    async put(key, body) {
      expect(await ask({ method: 'PUT', path: pathOf(key), body }), 200)
    },
    async get(key) {
      const answer = await ask({ method: 'GET', path: pathOf(key) })
      return answer.status === 404 ? undefined : expect(answer, 200).body
    },
    async head(key) {
      const answer = await ask({ method: 'HEAD', path: pathOf(key) })
      return answer.status === 404 ? undefined : Number(expect(answer, 200).headers.get('content-length'))
    },
    async list(after) {
      const query = `list-type=2&max-keys=${pageEntries}&start-after=${encodeURIComponent(after)}`
      return countOf(expect(await ask({ method: 'GET', path: `/${bucket}`, query }), 200).body, '<Key>')
    },
    async delete(key) {
      expect(await ask({ method: 'DELETE', path: pathOf(key) }), 204)
    },
    async close() {
      for (const connection of free) connection.close()
    },
  }
}

function headOf({ method, path, query = '', body }: Asking, host: string): string {
  const headers: (readonly [string, string])[] = [['host', host]]
  if (body !== undefined) headers.push(['content-length', String(body.length)])
  const payloadHash = payloadHashOf(body)
  const signed = signRequest(
    { method, rawPath: path, rawQuery: query, headers },
    { ...credentials, region, now: Date.now(), payloadHash },
  )
  const lines = signed.headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `${method} ${path}${query === '' ? '' : `?${query}`} HTTP/1.1\r\n${lines}\r\n`
}

function payloadHashOf(body: Uint8Array | undefined): string {
  if (body === undefined) return emptyHash
  if (body.length > signedBodyMax) return 'UNSIGNED-PAYLOAD'
  return createHash('sha256').update(body).digest('hex')
}

function expect(answer: Answer, status: number): Answer {
  if (answer.status === status) return answer
  throw new Error(`The server answered ${answer.status}: ${answer.body.toString('utf8', 0, 300)}`)
}

function countOf(bytes: Buffer, text: string): number {
  let count = 0
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + text.length)) count++
  return count
}
