/**
 * Authentication: claims in the header and in the URL, whole requests spoiled after they were signed, and headers
 * beside them.
 */
import fc from 'fast-check'
import { parsePayloadForm } from '#http/sigv4/payload-form'
import { formatAmzDate, parseAmzDate, parseHttpDate } from '#http/headers/amz-date'
import { canonicalQuery } from '#http/sigv4/canonical-request'
import { headerClaim } from '#http/sigv4/header-claim'
import { queryClaim } from '#http/sigv4/query-claim'
import { presign, signRequest } from '#http/sigv4/sign-request'
import { asRead } from '#http/sigv4/received.fixture'
import type { Anonymous, Verified, VerifiedV4 } from '#http/sigv4/verification'
import { verifyRequest } from '#http/authentication/verify-request'
import { percentDecode } from '#http/target/percent'
import { parseQuery } from '#http/target/query-params'
import { createRequestHeaders } from '#http/target/request-headers'
import { fuzz, must } from './fuzz.ts'
import { near, repeated, spoiled } from './mutate.ts'

const now = Date.UTC(2026, 5, 15, 12)
const day = '20260615'
const secretAccessKey = 'a-secret-of-some-length'
const regions: [string, ...string[]] = ['eu']
const scope = `AKID/${day}/eu/s3/aws4_request`
const hash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const authorization = fc.constant(
  `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${hash}`,
)
const headerWords = [
  'Credential=',
  'SignedHeaders=',
  'Signature=',
  'AWS4-HMAC-SHA256 ',
  'AWS ',
  'AWS4-ECDSA-P256-SHA256',
  'host;host',
  ';;',
  'aws5_request',
]

fuzz({
  name: 'claim in a header',
  inputs: fc.record({
    authorization: near(authorization, headerWords),
    date: near(fc.constantFrom(`${day}T120000Z`, 'Mon, 15 Jun 2026 12:00:00 GMT'), ['20260231T000000Z', 'T', 'Z']),
    name: fc.constantFrom('x-amz-date', 'date', 'x-svc-date'),
  }),
  parse({ authorization: value, date, name }) {
    const headers = createRequestHeaders([name, date, 'x-amz-content-sha256', hash])
    return headerClaim({ authorization: value, headers, query: parseQuery(''), regions })
  },
  check(claim) {
    must(claim.scope.date === claim.amzDate.slice(0, 8) && claim.scope.service === 's3', 'the scope is that of the day')
    must(claim.accessKeyId !== '' && claim.signedHeaders.length > 0, 'somebody signed something')
  },
  codes: ['AuthorizationHeaderMalformed', 'AccessDenied', 'InvalidRequest', 'InvalidArgument', 'NotImplemented'],
  heavy: repeated([',', 'Credential=a,', '/', ';', 'a', ' ', '=', ', ', 'host;', '\t'], (text) => ({
    authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host${text}, Signature=${text}`,
    date: `${day}T120000Z`,
    name: 'x-amz-date',
  })),
})

const parameters = fc.constant(
  canonicalQuery([
    ['X-Amz-Algorithm', 'AWS4-HMAC-SHA256'],
    ['X-Amz-Credential', scope],
    ['X-Amz-Date', `${day}T120000Z`],
    ['X-Amz-Expires', '60'],
    ['X-Amz-SignedHeaders', 'host'],
    ['X-Amz-Signature', hash],
  ]),
)
const queryWords = [
  '&X-Amz-Expires=',
  '&x-amz-signature=',
  '604801',
  '&X-Amz-Date=',
  'X-Amz-Security-Token=a',
  'x-amz-meta-a=b',
  '%2F',
]

fuzz({
  name: 'claim in a URL',
  inputs: near(parameters, queryWords),
  parse: (query) => queryClaim({ headers: createRequestHeaders([]), query: parseQuery(query), regions }),
  check({ expires = 0, query }) {
    must(expires >= 1 && expires <= 604_800, 'it lives a week at most')
    must(
      query.every(([name]) => name.toLowerCase() !== 'x-amz-signature'),
      'a signature does not sign itself',
    )
  },
  codes: ['AuthorizationQueryParametersError', 'AccessDenied', 'InvalidURI', 'NotImplemented', 'InvalidRequest'],
  heavy: {
    ...repeated(['/', '9', 'a', '%2F'], (text) => `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${text}`),
    ...repeated(['9', '-1', '0'], (text) => `${canonicalOf(parameters)}${text}`),
  },
})

interface Sent {
  readonly method: string
  readonly rawPath: string
  readonly rawQuery: string
  readonly rawHeaders: readonly string[]
}

const original: Omit<Sent, 'rawHeaders'> = { method: 'GET', rawPath: '/b/k%20x', rawQuery: 'prefix=a%2Fb&x' }
const own = [
  ['host', 'localhost'],
  ['x-amz-meta-a', 'one two'],
] as const
const credentials = { accessKeyId: 'AKID', secretAccessKey, region: 'eu', now }
const byHeader = signRequest({ ...original, headers: own }, { ...credentials, payloadHash: hash })
const byUrl = presign({ ...original, headers: [['host', 'localhost']] }, { ...credentials, expiresSeconds: 60 })
const signed: readonly Sent[] = [
  { ...original, rawHeaders: byHeader.headers.flat() },
  { ...original, rawQuery: byUrl.rawQuery, rawHeaders: ['host', 'localhost'] },
]

/** Any of its parts, spoiled. */
const spoiledRequest = fc.constantFrom(...signed).chain((sent) =>
  fc.oneof(
    spoiled(fc.constant(sent.rawPath), ['%20', '%6b']).map((rawPath) => ({ ...sent, rawPath })),
    spoiled(fc.constant(sent.rawQuery), ['versionId=null', 'X-Amz-']).map((rawQuery) => ({ ...sent, rawQuery })),
    fc.constantFrom('PUT', 'HEAD', 'get', '').map((method) => ({ ...sent, method })),
    fc.nat(sent.rawHeaders.length - 1).chain((at) =>
      spoiled(fc.constant(sent.rawHeaders[at] ?? ''), ['x-amz-copy-source', 'x-svc-acl']).map((text) => ({
        ...sent,
        rawHeaders: sent.rawHeaders.map((old, i) => (i === at ? text : old)),
      })),
    ),
    fc
      .tuple(
        fc.constantFrom('x-amz-copy-source', 'x-svc-acl', 'Host', 'accept', 'authorization'),
        fc.constantFrom('a', ''),
      )
      .map((pair) => ({ ...sent, rawHeaders: [...sent.rawHeaders, ...pair] })),
  ),
)
const blank = (text: string) => text.replace(/[ \t]+/g, ' ').trim()

/** An admitted request must be the signed one, even if it is spelled differently now. */
function isSame(verified: VerifiedV4<unknown>, sent: Sent): boolean {
  const meant = (query: string) =>
    canonicalQuery(parseQuery(query).entries.filter(([name]) => name.toLowerCase() !== 'x-amz-signature'))
  const first = verified.presigned ? signed[1] : signed[0]
  if (first === undefined) return false
  const headers = createRequestHeaders(sent.rawHeaders)
  const before = createRequestHeaders(first.rawHeaders)
  const all = new Set([...verified.signedHeaders, ...headers.names.filter((name) => /^x-(amz|svc)-/.test(name))])
  return (
    sent.method === first.method &&
    percentDecode(sent.rawPath) === percentDecode(first.rawPath) &&
    meant(sent.rawQuery) === meant(first.rawQuery) &&
    [...all].every((name) => blank(headers.values(name).join(',')) === blank(before.values(name).join(',')))
  )
}

fuzz({
  name: 'request that was spoiled after it was signed',
  inputs: spoiledRequest,
  parse: (sent: Sent): Verified<unknown> | Anonymous =>
    verifyRequest(asRead(sent), {
      now,
      regions,
      credentials: (id) => (id === 'AKID' ? { secretAccessKey } : undefined),
    }),
  check(verified, sent) {
    must(
      verified.anonymous || (verified.version !== 'AWS' && isSame(verified, sent)),
      'what is done is what was signed',
    )
  },
  codes: [
    'AccessDenied',
    'AuthorizationHeaderMalformed',
    'AuthorizationQueryParametersError',
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

fuzz({
  name: 'date of a signature',
  inputs: near(
    fc.integer({ min: 0, max: 4e12 }).map((time) => formatAmzDate(time)),
    ['20260230T000000Z', 'T', 'Z', '99', 'Mon, 15 Jun 2026 12:00:00 GMT', '+0000'],
  ),
  parse: (text) => [parseAmzDate(text), parseHttpDate(text)] as const,
  check([time, http], text) {
    must(time === undefined || formatAmzDate(time) === text, 'it is written as it was read')
    must(http === undefined || Number.isFinite(http), 'a date is a number')
  },
  codes: [],
  heavy: repeated(['2', '0', 'T', 'Z', 'Mon, '], (text) => text),
})

fuzz({
  name: 'payload form',
  inputs: near(fc.constantFrom(hash, 'UNSIGNED-PAYLOAD', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'), [
    'STREAMING-',
    '-TRAILER',
  ]),
  parse: parsePayloadForm,
  codes: ['InvalidArgument', 'NotImplemented'],
  heavy: repeated(['a', 'STREAMING-'], (text) => text),
})

function canonicalOf(arbitrary: fc.Arbitrary<string>): string {
  return fc.sample(arbitrary, 1)[0] ?? ''
}
