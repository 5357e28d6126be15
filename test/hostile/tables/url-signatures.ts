/** Signatures in URLs that are not what they should be. */
import { presign } from 'varve/http'
import { targetOf } from '../../acceptance/support/call.ts'
import { requestText } from '../../acceptance/support/wire.ts'
import type { Outcome, Row } from '../row.ts'

const minute = 60_000
const day = 24 * 60 * minute

const ok = [200] as const
const denied = [403, 'AccessDenied'] as const
const mismatch = [403, 'SignatureDoesNotMatch'] as const

interface Signed {
  readonly name: string
  readonly line?: string
  readonly expiresSeconds?: number
  readonly agoMs?: number
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly change?: (query: string) => string
  /** Sent with another method. */
  readonly method?: string
  readonly extra?: readonly string[]
  readonly outcome: Outcome
}

const parameters = [400, 'AuthorizationQueryParametersError'] as const
const expires = (value: string) => (query: string) => query.replace(/X-Amz-Expires=\d+/, `X-Amz-Expires=${value}`)

const requests: readonly Signed[] = [
  { name: 'a good URL', outcome: ok },
  {
    name: 'a good URL of the longest life, near its end',
    expiresSeconds: 604_800,
    agoMs: 7 * day - minute,
    outcome: ok,
  },
  { name: 'a URL used a second late', expiresSeconds: 60, agoMs: minute + 1500, outcome: denied },
  {
    name: 'a URL of the longest life, a second late',
    expiresSeconds: 604_800,
    agoMs: 7 * day + 1500,
    outcome: denied,
  },
  { name: 'a URL from the future', agoMs: -16 * minute, outcome: denied },
  { name: 'a life that ended before it began', change: expires('-1'), outcome: parameters },
  { name: 'no life at all', change: expires('0'), outcome: denied },
  ...['-', '604801', '1e3', '', '1.5', '%201'].map(
    (value): Signed => ({ name: `X-Amz-Expires=${value}`, change: expires(value), outcome: parameters }),
  ),
  { name: 'a life longer than signed', change: expires('86400'), outcome: mismatch },
  ...['Algorithm', 'Credential', 'Date', 'Expires', 'SignedHeaders', 'Signature'].flatMap((name): Signed[] => {
    const parameter = new RegExp(`&?X-Amz-${name}=[^&]*`)
    return [
      {
        name: `no X-Amz-${name}`,
        change: (query) => query.replace(parameter, '').replace(/^&/, ''),
        outcome: parameters,
      },
      {
        name: `X-Amz-${name} twice`,
        change: (query) => `${query}&${parameter.exec(query)?.[0].replace(/^&/, '') ?? ''}`,
        outcome: parameters,
      },
    ]
  }),
  {
    name: 'a wrong signature',
    change: (query) => query.replace(/Signature=.{4}/, 'Signature=0000'),
    outcome: mismatch,
  },
  { name: 'a URL for GET, used for HEAD', method: 'HEAD', outcome: [403] },
  { name: 'a URL for GET, used for PUT', method: 'PUT', extra: ['content-length: 0'], outcome: mismatch },
  { name: 'a URL for GET, used for DELETE', method: 'DELETE', outcome: mismatch },
  { name: 'an extra parameter', change: (query) => `${query}&versionId=null`, outcome: mismatch },
  { name: 'an extra parameter in front', change: (query) => `a=b&${query}`, outcome: mismatch },
  { name: 'an extra unsigned header', extra: ['x-amz-meta-a: b'], outcome: denied },
  {
    name: 'a copy source that turns a PUT into a read',
    line: 'PUT /hostile/copied',
    extra: ['x-amz-copy-source: /hostile/secret', 'content-length: 0'],
    outcome: denied,
  },
  {
    name: 'a copy source among the parameters',
    line: 'PUT /hostile/copied',
    change: (query) => `${query}&x-amz-copy-source=%2Fsig%2Fsecret`,
    extra: ['content-length: 0'],
    outcome: mismatch,
  },
  {
    name: 'an aws-chunked body',
    line: 'PUT /hostile/chunked',
    headers: [['x-amz-content-sha256', 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD']],
    extra: ['x-amz-content-sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD', 'content-length: 0'],
    outcome: [400, 'InvalidRequest'],
  },
]

export const urlSignatures: readonly Row[] = requests.map((request) => ({
  name: request.name,
  outcome: request.outcome,
  bytes({ server }) {
    const { line = 'GET /hostile/object', expiresSeconds = 300, agoMs = 0, headers = [], extra = [] } = request
    const { method, ...target } = targetOf(line)
    const { rawQuery } = presign(
      { method, ...target, headers: [['host', server.host], ...headers] },
      { ...server.credentials('root'), region: 'eu', now: Date.now() - agoMs, expiresSeconds },
    )
    const query = request.change?.(rawQuery) ?? rawQuery
    return requestText(`${request.method ?? method} ${target.rawPath}?${query}`, [`host: ${server.host}`, ...extra])
  },
}))
