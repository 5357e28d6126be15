/** Signed requests of S3, of the control API and of STS, on a connection of an agent or on a new one. */
import { createHash, createHmac } from 'node:crypto'
import { type Agent, request } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { signRequest } from '@varve/http'

export interface Keys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

export interface Answer {
  readonly status: number
  readonly text: string
}

/** A server, as its root and as other clients. */
export interface Served {
  readonly url: string
  readonly root: Keys
}

/** A method, a path, and perhaps a body. */
export type Line = readonly [methodAndPath: string, body?: string]
/** `undefined`: without credentials. */
export type Caller = Keys | undefined

async function exchange(
  url: string,
  method: string,
  path: string,
  how: { headers: HeadersOf; body: string; agent: Agent | false },
) {
  const { headers, body, agent } = how
  const sent = request(new URL(path, url), { method, headers, agent })
  sent.end(body)
  return new Promise<Answer>((resolve, reject) => {
    sent.once('error', reject)
    sent.once('response', (response) => {
      textOf(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject)
    })
  })
}

export type HeadersOf = Readonly<Record<string, string>>

export function call({ url }: Pick<Served, 'url'>, by: Caller, [line, body = '']: Line, agent: Agent | false = false) {
  const [method = '', target = ''] = line.split(' ')
  const [rawPath = '', rawQuery = ''] = target.split('?')
  const md5 = createHash('md5').update(body).digest('base64')
  const given = [
    ['host', new URL(url).host],
    ['content-length', String(Buffer.byteLength(body))],
    ['content-md5', md5],
  ] as const
  const options = by && { ...by, region: 'eu', now: Date.now(), payloadHash: 'UNSIGNED-PAYLOAD' }
  const headers = options ? signRequest({ method, rawPath, rawQuery, headers: given }, options).headers : given
  return exchange(url, method, target, { headers: Object.fromEntries(headers), body, agent })
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A request of STS, signed for its own service. */
export function callSts({ url }: Pick<Served, 'url'>, by: Keys, parameters: HeadersOf, agent: Agent | false = false) {
  const body = new URLSearchParams({ Version: '2011-06-15', ...parameters }).toString()
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = `${time.slice(0, 8)}/eu/sts/aws4_request`
  const { host } = new URL(url)
  const canonical = ['POST', '/', '', `host:${host}`, `x-amz-date:${time}`, '', 'host;x-amz-date', sha256(body)].join(
    '\n',
  )
  const key = scope.split('/').reduce<string | Buffer>((last, part) => hmac(last, part), `AWS4${by.secretAccessKey}`)
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')).toString('hex')
  const headers = {
    host,
    'x-amz-date': time,
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(body.length),
    authorization: `AWS4-HMAC-SHA256 Credential=${by.accessKeyId}/${scope}, SignedHeaders=host;x-amz-date, Signature=${signature}`,
  }
  return exchange(url, 'POST', '/', { headers, body, agent })
}

export function keysIn({ status, text }: Answer): Keys {
  if (status !== 200) throw new Error(`${status} ${text}`)
  const one = (name: string): string => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? ''
  return { accessKeyId: one('AccessKeyId'), secretAccessKey: one('SecretAccessKey'), sessionToken: one('SessionToken') }
}
