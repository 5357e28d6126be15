/** Requests signed by version 2 and spoiled afterwards: what is let in is what was signed. */
import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { signedParameters } from '#http/pipeline/signed-parameters'
import { asRead } from '#http/sigv4/received.fixture'
import type { Anonymous, Verified } from '#http/sigv4/verification'
import { verifyRequest } from '#http/authentication/verify-request'
import { parseQuery } from '#http/target/query-params'
import { createRequestHeaders } from '#http/target/request-headers'
import { fuzz, must } from './fuzz.ts'
import { spoiled } from './mutate.ts'

const now = Date.UTC(2026, 5, 15, 12)
const secretAccessKey = 'a-secret-of-some-length'
const date = new Date(now).toUTCString()
const expires = String(now / 1000 + 60)

interface Sent {
  readonly method: string
  readonly rawPath: string
  readonly rawQuery: string
  readonly rawHeaders: readonly string[]
}

const sign = (lines: readonly string[]): string =>
  createHmac('sha1', secretAccessKey).update(lines.join('\n')).digest('base64')
const resource = '/b/k%20x?response-expires=a b&versionId=1'
const query = 'versionId=1&prefix=a%2Fb&response-expires=a+b'
const typed = ['content-type', 'text/plain', 'content-md5', 'AAAAAAAAAAAAAAAAAAAAAA==']
const start = ['PUT', 'AAAAAAAAAAAAAAAAAAAAAA==', 'text/plain']
const vendor = ['x-amz-acl:private', 'x-amz-meta-a:one two']
const inHeader = sign([...start, date, ...vendor, resource])
const inUrl = encodeURIComponent(sign([...start, expires, ...vendor, resource]))
const put = { method: 'PUT', rawPath: '/b/k%20x' }
const byHeader = ['host', 'localhost', 'date', date, 'authorization', `AWS AKID:${inHeader}`]
const ofUrl = `AWSAccessKeyId=AKID&Expires=${expires}&Signature=${inUrl}&x-amz-acl=private&X-Amz-Meta-A=one%20two`
const signed: readonly Sent[] = [
  { ...put, rawQuery: query, rawHeaders: [...byHeader, ...typed, 'x-amz-acl', 'private', 'x-amz-meta-a', 'one two'] },
  { ...put, rawQuery: `${query}&${ofUrl}`, rawHeaders: ['host', 'localhost', ...typed] },
]

const words = [
  'versionId=null',
  '&acl',
  '&Signature=',
  '%0a',
  'x-amz-acl=public-read',
  '&x-amz-meta-b:c',
  'Expires=',
  '+',
]
const spoiledRequest = fc.constantFrom(...signed).chain((sent) =>
  fc.oneof(
    spoiled(fc.constant(sent.rawPath), ['%20', '%6b', '?']).map((rawPath) => ({ ...sent, rawPath })),
    spoiled(fc.constant(sent.rawQuery), words).map((rawQuery) => ({ ...sent, rawQuery })),
    fc.constantFrom('GET', 'put', '').map((method) => ({ ...sent, method })),
    fc.nat(sent.rawHeaders.length - 1).chain((at) =>
      spoiled(fc.constant(sent.rawHeaders[at] ?? ''), ['x-amz-copy-source', 'x-svc-acl', ':']).map((text) => ({
        ...sent,
        rawHeaders: sent.rawHeaders.map((old, i) => (i === at ? text : old)),
      })),
    ),
    fc
      .tuple(
        fc.constantFrom('x-amz-copy-source', 'x-amz-acl', 'x-svc-acl', 'content-type', 'x-amz-date', 'authorization'),
        fc.constantFrom('a', 'private', ''),
      )
      .map((pair) => ({ ...sent, rawHeaders: [...sent.rawHeaders, ...pair] })),
  ),
)

/** All that a signature has to cover, as the operation would see it. */
function meaningOf({ method, rawPath, rawQuery, rawHeaders }: Sent): string {
  const headers = createRequestHeaders(rawHeaders)
  const { entries } = parseQuery(rawQuery)
  const parameters = entries.filter(([name]) => signedParameters.has(name)).map(([name, value]) => `${name}=${value}`)
  // Beside a signature in a header they are no headers, and no operation takes them.
  const hoisted = (headers.get('authorization') ?? '') === '' ? entries : []
  const inQuery = hoisted.map(([name, value]) => [name.toLowerCase(), value] as const)
  const vendorOnes = new Map<string, string>()
  for (const [name, value] of inQuery) if (/^x-(?:amz|svc)-/.test(name)) vendorOnes.set(name, value.trim())
  for (const name of headers.names) {
    if (/^x-(?:amz|svc)-/.test(name)) {
      const values = headers.values(name).map((value) => value.replace(/^[ \t]+|[ \t]+$/g, ''))
      vendorOnes.set(name, values.join(','))
    }
  }
  const vendorLines = [...vendorOnes].map(([name, value]) => `${name}:${value}`)
  const type = [headers.get('content-type'), headers.get('content-md5')]
  return JSON.stringify([method, rawPath, parameters.sort(), vendorLines.sort(), type])
}

const meanings = new Set(signed.map(meaningOf))

fuzz({
  name: 'request that was spoiled after it was signed by version 2',
  inputs: spoiledRequest,
  parse: (sent: Sent): Verified<unknown> | Anonymous =>
    verifyRequest(asRead(sent), {
      now,
      regions: 'any',
      v2Parameters: signedParameters,
      credentials: (id) => (id === 'AKID' ? { secretAccessKey } : undefined),
    }),
  check(verified, sent) {
    must(verified.anonymous || meanings.has(meaningOf(sent)), 'what is done is what was signed')
  },
  codes: [
    'AccessDenied',
    'AuthorizationHeaderMalformed',
    'InvalidAccessKeyId',
    'InvalidArgument',
    'InvalidRequest',
    'InvalidToken',
    'InvalidURI',
    'NotImplemented',
    'RequestTimeTooSkewed',
    'SignatureDoesNotMatch',
  ],
})
