/** Requests that are not quite HTTP, or too much of it, and targets that are not what they seem. */
import { requestBytes, requestText } from '../../acceptance/support/wire.ts'
import { ask, type Outcome, type Row } from '../row.ts'
import type { Scene } from '../scene.ts'

const put = 'PUT /hostile/intruder'
const host = ({ server }: Scene) => `host: ${server.host}`
const invalid: Outcome = [400, 'InvalidRequest']
const notAMethod: Outcome = [405, 'MethodNotAllowed']
const notAUri: Outcome = [400, 'InvalidURI']
const tooLarge: Outcome = [400, 'RequestHeaderSectionTooLarge']

/** A signed PUT with framing of its own. */
const framed = (name: string, extra: readonly string[], body = ''): Row => ({
  name,
  bytes: ({ server }) => requestBytes(server, put, { extra, body }),
  outcome: invalid,
  closes: true,
})
const chunked = (name: string, body: string): Row => framed(name, ['transfer-encoding: chunked'], body)
/** Requests without an identity. The server refuses them before it authenticates. */
const raw = (name: string, bytes: (scene: Scene) => string, outcome = invalid): Row => ({ name, bytes, outcome })
const last = (row: Row): Row => ({ ...row, closes: true })
const get = (name: string, target: string, outcome: Outcome) =>
  raw(name, (scene) => requestText(`GET ${target}`, [host(scene)]), outcome)

const lengths: readonly Row[] = [
  framed('Content-Length and Transfer-Encoding', ['content-length: 5', 'transfer-encoding: chunked'], '0\r\n\r\n'),
  framed('Transfer-Encoding and Content-Length', ['transfer-encoding: chunked', 'content-length: 5'], '0\r\n\r\n'),
  framed('two equal Content-Length', ['content-length: 5', 'content-length: 5'], 'abcde'),
  framed('two Content-Length', ['content-length: 5', 'content-length: 6'], 'abcdef'),
  ...['5, 5', '+5', '0x5', '-1', '5 5', '5;', '1e1', '', '18446744073709551617'].map((length) =>
    framed(`Content-Length: ${length}`, [`content-length: ${length}`], 'abcde'),
  ),
  {
    ...framed('Content-Length of 20 digits', [`content-length: ${'1'.repeat(20)}`], 'abcde'),
    outcome: [400, 'InvalidArgument'],
  },
  ...[
    'xchunked',
    'chunked, identity',
    'identity',
    'chunked, chunked',
    'chunked;q=1',
    '"chunked"',
    'gzip, chunked, x',
  ].map((coding) =>
    framed(`Transfer-Encoding: ${coding}`, [`transfer-encoding: ${coding}`], '5\r\nabcde\r\n0\r\n\r\n'),
  ),
  framed('two Transfer-Encoding', ['transfer-encoding: chunked', 'transfer-encoding: identity'], '0\r\n\r\n'),
]

const heads: readonly Row[] = [
  framed('a space before the colon', ['transfer-encoding : chunked'], '0\r\n\r\n'),
  framed('a vertical tab in Transfer-Encoding', ['transfer-encoding: \u000bchunked'], '0\r\n\r\n'),
  framed('a folded header', ['x-folded: one', ' two', 'content-length: 0']),
  framed('NUL in a header', ['x-nul: a\u0000b', 'content-length: 0']),
  framed('a bare CR in a header', ['x-cr: a\rb', 'content-length: 0']),
  framed('a header that ends in LF', ['x-lf: a\nx-smuggled: b', 'content-length: 0']),
  framed('a header without a colon', ['nothing', 'content-length: 0']),
  framed('a header without a name', [': nothing', 'content-length: 0']),
  framed('a header whose name has a space', ['content length: 5', 'content-length: 0']),
  last(raw('bare LF instead of CRLF', (scene) => `GET /hostile HTTP/1.1\n${host(scene)}\n\n`)),
  last(raw('HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')),
  last(raw('another protocol', () => '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\r\n\r\n', notAMethod)),
  last(raw('a request line of one word', () => 'GET\r\n\r\n', notAMethod)),
  last(raw('a version of HTTP that is none', (scene) => `GET /hostile HTTP/9.9\r\n${host(scene)}\r\n\r\n`)),
  last(raw('a method that is none', (scene) => requestText('BREW /hostile', [host(scene)]), notAMethod)),
  raw('a method S3 does not have', (scene) => requestText('PATCH /hostile', [host(scene)]), notAMethod),
  last(get('a space in the target', '/hos tile', invalid)),
  raw('no Host', () => requestText('GET /hostile', [])),
  last({
    ...raw('an expectation that cannot be met', (scene) => requestText('GET /hostile', [host(scene), 'expect: foo'])),
    outcome: [417],
  }),
]

const chunks: readonly Row[] = [
  chunked('a chunk size that is not hexadecimal', '1x\r\na\r\n0\r\n\r\n'),
  chunked('a chunk size with a sign', '+1\r\na\r\n0\r\n\r\n'),
  chunked('a chunk size in another notation', '0x1\r\na\r\n0\r\n\r\n'),
  chunked('a chunk size of 17 digits', '10000000000000001\r\na\r\n0\r\n\r\n'),
  chunked('chunks that end in LF', '5\nabcde\n0\n\n'),
  chunked('a chunk longer than announced', '2\r\nabcde\r\n0\r\n\r\n'),
  chunked('a chunk extension of 20 KB', `5;x=${'x'.repeat(20_000)}\r\nabcde\r\n0\r\n\r\n`),
  chunked('a chunk extension that ends in LF', '5;a\nabcde\r\n0\r\n\r\n'),
  chunked('Content-Length among the trailers', '5\r\nabcde\r\n0\r\ncontent-length: 5\r\n\r\n'),
]

const many = (count: number, outcome: Outcome): Row =>
  raw(
    `${count} headers`,
    (scene) => requestText('GET /hostile', [host(scene), ...Array.from({ length: count - 1 }, (_, i) => `x-${i}: 1`)]),
    outcome,
  )

const tooMuch: readonly Row[] = [
  last(
    raw('a header of 17 KB', (scene) => requestText('GET /', [host(scene), `x-a: ${'a'.repeat(17_000)}`]), tooLarge),
  ),
  last(get('a target of 17 KB', `/hostile/${'a'.repeat(17_000)}`, tooLarge)),
  many(199, [403, 'AccessDenied']),
  ...[200, 201, 3000].map((count) => many(count, tooLarge)),
]

const targets: readonly Row[] = [
  // RFC 9112 section 3.2.2: a server accepts the absolute form.
  ...['http://127.0.0.1/hostile', 'http://evil.example/hostile/../y'].map((target) =>
    get(`the target ${target}`, target, [403, 'AccessDenied']),
  ),
  ...['*', 'ftp://127.0.0.1/hostile', 'http:///hostile'].map((target) => get(`the target ${target}`, target, notAUri)),
  last(get('the target hostile', 'hostile', invalid)),
  ...['%zz', '%', '%4', '%c0%af', '%ff', '%ed%a0%80', 'a%80b', 'a#b'].map((key) =>
    get(`the key ${key}`, `/hostile/${key}`, notAUri),
  ),
  ...['?prefix=%zz', '?%zz', '?prefix=%ff'].map((query) => get(`the query ${query}`, `/hostile${query}`, notAUri)),
  ask('an empty bucket before a key', 'GET //hostile//k', {}, [400, 'InvalidBucketName']),
  ...['/hostile/../../etc/passwd', '/hostile/%2e%2e%2fsecret', '/hostile/./object', '/hostile//object'].map((target) =>
    ask(`the target ${target}, which is a key like any other`, `GET ${target}`, {}, [404, 'NoSuchKey']),
  ),
]

const twice: readonly Row[] = [
  ['Host', 'host: elsewhere.example'],
  ['Host, twice the same', undefined],
  [
    'Authorization',
    'authorization: AWS4-HMAC-SHA256 Credential=a/20260101/eu/s3/aws4_request, SignedHeaders=host, Signature=0',
  ],
  ['x-amz-date', 'x-amz-date: 20260101T000000Z'],
  ['x-amz-content-sha256', 'x-amz-content-sha256: UNSIGNED-PAYLOAD'],
  ['Content-MD5', 'content-md5: 1B2M2Y8AsgTpgAmY7PhCfg=='],
  ['x-amz-decoded-content-length', 'x-amz-decoded-content-length: 0'],
].map(([name, line]) =>
  raw(`two ${name}`, (scene) =>
    requestBytes(scene.server, put, {
      headers: { 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==', 'x-amz-decoded-content-length': '0' },
      extra: [line ?? host(scene), 'content-length: 0'],
    }),
  ),
)

/** A large one, so that the server cannot just read it to its end, comes in `slow/`. */
const bodies: readonly Row[] = [
  ask('a body where none belongs', 'GET /hostile/object', { extra: ['content-length: 5'], body: 'abcde' }, [200]),
  {
    name: 'a PUT without a length',
    bytes: ({ server }) => requestBytes(server, put),
    outcome: [411, 'MissingContentLength'],
  },
]

export const framing: readonly Row[] = [...lengths, ...heads, ...chunks, ...tooMuch, ...targets, ...twice, ...bodies]
