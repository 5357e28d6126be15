/** Signed requests to a server for tests, through its port or inside the process. */
import { createHash } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { signRequest } from '@varve/http'
import type { Credentials } from './options.ts'
import type { S3RequestHandler, TestS3 } from './test-s3.ts'

export interface Received {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

export interface SendOptions {
  readonly body?: string
  readonly credentials?: Credentials
  readonly region?: string
  readonly now?: number
  /** Sends this many bytes of the body, and then nothing. */
  readonly stallsAfter?: number
  readonly signal?: AbortSignal
  /** @default one for each request */
  readonly requestHandler?: S3RequestHandler
}

/** @throws the error of the connection, also when it ends in the answer */
export async function send(s3: TestS3, method: string, path: string, options: SendOptions = {}): Promise<Received> {
  const answer = await begin(s3, method, path, options)
  return { status: answer.statusCode ?? 0, headers: answer.headers, text: await textOf(answer) }
}

/** Resolves when the head of the answer has arrived. */
export function begin(s3: TestS3, method: string, path: string, options: SendOptions = {}): Promise<IncomingMessage> {
  const { body = '', credentials = s3.credentials, region = s3.region, now = Date.now(), stallsAfter, signal } = options
  const { requestHandler = s3.requestHandler } = options
  const [rawPath = '', rawQuery = ''] = path.split('?')
  const { host, hostname } = new URL(s3.url)
  const { headers } = signRequest(
    { method, rawPath, rawQuery, headers: [['host', host]] },
    { ...credentials, region, now, payloadHash: createHash('sha256').update(body).digest('hex') },
  )
  const length = ['content-length', String(Buffer.byteLength(body))] as const
  const agent = s3.port === undefined ? { agent: requestHandler.httpAgent } : { port: s3.port }
  return new Promise((resolve, reject) => {
    const sent = request({
      hostname,
      method,
      path,
      headers: Object.fromEntries([...headers, length]),
      ...agent,
      ...(signal && { signal }),
    })
    sent.on('response', resolve).on('error', reject)
    if (stallsAfter === undefined) sent.end(body)
    else sent.write(body.slice(0, stallsAfter))
  })
}

export async function textOf(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of answer) text += chunk
  return text
}

/** Resolves when the next request has arrived. Call it before the request is sent. */
export function arrival(s3: TestS3): () => Promise<void> {
  const seen = s3.faults.add({ fault: { kind: 'slow', ms: 0 }, times: 1 })
  return async () => {
    while (seen.count === 0) await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
