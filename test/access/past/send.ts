/** Requests in every form that a server takes: signed in its headers or its URL, by version 2, or not at all. */
import { createHmac } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import type { Agent } from 'node:http'
import { presign, signRequest } from 'varve/http'
import { type Pairs, sha256, targetOf } from '../../acceptance/support/call.ts'
import type { TestServer } from '../../acceptance/support/test-server.ts'

export interface Request {
  /** `GET /bucket/key?query` */
  readonly line: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent beside the headers that the signature covers. */
  readonly unsignedHeaders?: Readonly<Record<string, string>>
  readonly body?: string
  /** @default that of the server */
  readonly host?: string
  /** @default 'headers' */
  readonly signed?: 'headers' | 'url' | 'version 2' | 'not'
  /** The answer may have no end: its status is enough. */
  readonly isEndless?: boolean
}

export interface Reply {
  readonly status: number
  /** Everything that was answered: the headers and the body. */
  readonly text: string
  /** `x-varve-at` */
  readonly at: string | undefined
  readonly seq: string | undefined
}

export interface Sender {
  readonly server: TestServer
  readonly agent: Agent
  readonly region: string
}

/** @param as Its name; `nobody` signs nothing. */
export function send({ server, agent, region }: Sender, request: Request, as: string): Promise<Reply> {
  const { line, unsignedHeaders = {}, body = '', isEndless = false } = request
  const { method } = targetOf(line)
  const { target, headers } = signedAs(server, request, { as, region })
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port: server.port, method, path: target, agent })
    for (const [name, value] of [...headers, ...Object.entries(unsignedHeaders)]) sent.setHeader(name, value)
    if (method !== 'GET' && method !== 'HEAD') sent.setHeader('content-length', Buffer.byteLength(body))
    sent.on('error', reject).on('response', (response) => {
      const { statusCode: status = 0, rawHeaders, headers: named } = response
      const [at, seq] = ['x-varve-at', 'x-varve-seq'].map((name) => named[name] as string | undefined)
      let text = rawHeaders.join('\n')
      const done = () => resolve({ status, text, at, seq })
      response
        .setEncoding('utf8')
        .on('data', (chunk: string) => (text += chunk))
        .on('close', done)
        .on('error', reject)
      if (isEndless && status === 200) response.destroy()
    })
    sent.end(body)
  })
}

interface Signing {
  readonly as: string
  readonly region: string
}

function signedAs(server: TestServer, request: Request, { as, region }: Signing): { target: string; headers: Pairs } {
  const { line, host = server.host, body = '', signed = 'headers' } = request
  const { method, rawPath, rawQuery } = targetOf(line)
  const headers: Pairs = [['host', host], ...Object.entries(request.headers ?? {})]
  const target = rawQuery === '' ? rawPath : `${rawPath}?${rawQuery}`
  if (as === 'nobody' || signed === 'not') return { target, headers }
  const credentials = server.credentials(as)
  const whole = { method, rawPath, rawQuery, headers }
  const how = { ...credentials, region, now: Date.now() }
  switch (signed) {
    case 'headers':
      return { target, headers: signRequest(whole, { ...how, payloadHash: sha256(Buffer.from(body)) }).headers }
    case 'url':
      return { target: `${rawPath}?${presign(whole, { ...how, expiresSeconds: 60 }).rawQuery}`, headers }
    case 'version 2': {
      const date = new Date().toUTCString()
      const text = [method, '', '', date, rawPath].join('\n')
      const signature = createHmac('sha1', credentials.secretAccessKey).update(text).digest('base64')
      return {
        target,
        headers: [...headers, ['date', date], ['authorization', `AWS ${credentials.accessKeyId}:${signature}`]],
      }
    }
  }
}
