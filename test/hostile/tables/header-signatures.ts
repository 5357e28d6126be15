/** Signatures in the Authorization header that are not what they should be. */
import { sha256 } from '../../acceptance/support/call.ts'
import { type Requested, type Outcome, type Row, spoil, type Spoiled } from '../row.ts'

const minute = 60_000
const day = 24 * 60 * minute

interface Signed {
  readonly name: string
  readonly line?: string
  readonly body?: string
  readonly signed?: Omit<Requested, 'body'>
  /** Changes what was signed before it is sent. */
  readonly change?: (request: Spoiled) => Partial<Spoiled>
  readonly outcome: Outcome
}

const without =
  (name: string) =>
  ({ headers }: Spoiled): Partial<Spoiled> => ({ headers: headers.filter(([other]) => other !== name) })
const having =
  (name: string, change: (value: string) => string) =>
  ({ headers }: Spoiled): Partial<Spoiled> => ({
    headers: headers.map(([other, value]) => (other === name ? [other, change(value)] : [other, value])),
  })
const adding =
  (name: string, value: string) =>
  ({ headers }: Spoiled): Partial<Spoiled> => ({ headers: [...headers, [name, value]] })
const authorization = (pattern: RegExp, replacement: string) =>
  having('authorization', (v) => v.replace(pattern, replacement))

const ok = [200] as const
const denied = [403, 'AccessDenied'] as const
const mismatch = [403, 'SignatureDoesNotMatch'] as const
const malformed = [400, 'AuthorizationHeaderMalformed'] as const
const skewed = [403, 'RequestTimeTooSkewed'] as const

const requests: readonly Signed[] = [
  { name: 'a good signature', outcome: ok },
  { name: 'a good signature, in another accepted region', signed: { region: 'us-east-1' }, outcome: ok },
  { name: 'no signature', change: without('authorization'), outcome: denied },
  { name: 'an empty Authorization', change: having('authorization', () => ''), outcome: denied },
  { name: 'an unknown key', change: authorization(/AK-root/, 'AK-toor'), outcome: [403, 'InvalidAccessKeyId'] },
  {
    name: 'an access key named __proto__',
    change: authorization(/AK-root/, '__proto__'),
    outcome: [403, 'InvalidAccessKeyId'],
  },
  { name: 'someone else’s key', change: authorization(/AK-root/, 'AK-ann'), outcome: mismatch },
  { name: 'a wrong signature', change: authorization(/Signature=.{4}/, 'Signature=0000'), outcome: mismatch },
  { name: 'a signature one digit short', change: authorization(/.$/, ''), outcome: mismatch },
  { name: 'a signature one digit long', change: authorization(/$/, '0'), outcome: mismatch },
  { name: 'a signature that is not hexadecimal', change: authorization(/.$/, 'z'), outcome: mismatch },
  { name: 'an empty signature', change: authorization(/Signature=.*/, 'Signature='), outcome: malformed },
  { name: 'the scope of another day', change: authorization(/\/\d{8}\//, '/20200101/'), outcome: malformed },
  { name: 'the scope of another region', change: authorization(/\/eu\//, '/mars/'), outcome: malformed },
  { name: 'the scope of another service', change: authorization(/\/s3\//, '/ec2/'), outcome: malformed },
  { name: 'another terminator', change: authorization(/aws4_request/, 'aws5_request'), outcome: malformed },
  { name: 'a scope of three parts', change: authorization(/\/eu\//, '/'), outcome: malformed },
  { name: 'no Credential', change: authorization(/Credential=[^,]*, /, ''), outcome: malformed },
  { name: 'no SignedHeaders', change: authorization(/SignedHeaders=[^,]*, /, ''), outcome: malformed },
  { name: 'no Signature', change: authorization(/, Signature=.*/, ''), outcome: malformed },
  { name: 'Signature twice', change: authorization(/$/, ', Signature=0'), outcome: malformed },
  { name: 'nothing but the scheme', change: having('authorization', () => 'AWS4-HMAC-SHA256'), outcome: malformed },
  { name: 'another scheme', change: having('authorization', () => 'Bearer x'), outcome: [400, 'InvalidArgument'] },
  {
    name: 'the scheme of old',
    change: having('authorization', () => 'AWS AK-root:x'),
    outcome: [400, 'InvalidRequest'],
  },
  { name: 'a clock 14:55 ahead', signed: { clockAheadMs: 15 * minute - 5000 }, outcome: ok },
  { name: 'a clock 14:55 behind', signed: { clockAheadMs: -15 * minute + 5000 }, outcome: ok },
  { name: 'a clock 15:05 ahead', signed: { clockAheadMs: 15 * minute + 5000 }, outcome: skewed },
  { name: 'a clock 15:05 behind', signed: { clockAheadMs: -15 * minute - 5000 }, outcome: skewed },
  { name: 'a clock a year behind', signed: { clockAheadMs: -365 * day }, outcome: skewed },
  { name: 'no date', change: without('x-amz-date'), outcome: denied },
  { name: 'a date that is none', change: having('x-amz-date', () => 'yesterday'), outcome: denied },
  {
    name: 'a date of another day than its scope',
    change: having('x-amz-date', () => '20200101T000000Z'),
    outcome: malformed,
  },
  { name: 'host not signed', change: authorization(/host;/, ''), outcome: denied },
  { name: 'another host than signed', change: having('host', () => 'elsewhere.example'), outcome: mismatch },
  {
    name: 'a copy source added on the way',
    line: 'PUT /hostile/copied',
    change: adding('x-amz-copy-source', '/hostile/secret'),
    outcome: denied,
  },
  {
    name: 'a copy source added on the way, in the other spelling',
    line: 'PUT /hostile/copied',
    change: adding('x-svc-copy-source', '/hostile/secret'),
    outcome: denied,
  },
  {
    name: 'metadata added on the way',
    line: 'PUT /hostile/added',
    change: adding('x-amz-meta-a', 'b'),
    outcome: denied,
  },
  {
    name: 'metadata changed on the way',
    line: 'PUT /hostile/changed',
    signed: { headers: { 'x-amz-meta-a': 'b' } },
    change: having('x-amz-meta-a', () => 'c'),
    outcome: mismatch,
  },
  ...[
    'b=1&a=2',
    'a=b&a=a',
    'B=1&a=2&A=3',
    'a=~%7E',
    'a=%20+',
    'a=1=2',
    'a=%2B%2b',
    'a=%26b%3Dc',
    '%C3%A9=%F0%9F%98%80',
  ].map((query): Signed => ({ name: `the query ${query}`, line: `GET /hostile/object?${query}`, outcome: ok })),
  ...['a=&a=b', 'b&a', '&&a'].map(
    (query): Signed => ({
      name: `the query ${query}, which may be a subresource`,
      line: `GET /hostile/object?${query}`,
      outcome: [501, 'NotImplemented'],
    }),
  ),
  {
    name: 'white space around and within a signed header',
    line: 'PUT /hostile/object',
    body: 'open',
    signed: { headers: { 'x-amz-meta-a': 'one two' } },
    change: having('x-amz-meta-a', () => ' \t one    two\t '),
    outcome: ok,
  },
  {
    name: 'a signed header sent in two',
    line: 'PUT /hostile/object',
    body: 'open',
    signed: { headers: { 'x-amz-meta-a': 'one,two' } },
    change: ({ headers }) => ({
      headers: headers.flatMap(([name, value]) =>
        name === 'x-amz-meta-a' ? [[name, 'one'] as const, [name, 'two'] as const] : [[name, value] as const],
      ),
    }),
    outcome: ok,
  },
  { name: 'another method than signed', change: () => ({ line: 'HEAD /hostile/object' }), outcome: [403] },
  { name: 'another path than signed', change: () => ({ line: 'GET /hostile/secret' }), outcome: mismatch },
  {
    name: 'a parameter more than signed',
    change: () => ({ line: 'GET /hostile/object?versionId=null' }),
    outcome: mismatch,
  },
  {
    name: 'signatures in both places',
    change: ({ line }) => ({ line: `${line}?X-Amz-Algorithm=AWS4-HMAC-SHA256` }),
    outcome: [400, 'InvalidArgument'],
  },
  { name: 'no payload hash', change: without('x-amz-content-sha256'), outcome: [400, 'InvalidRequest'] },
  {
    name: 'a payload hash that is no hash',
    signed: { payloadHash: 'SIGNED' },
    outcome: [400, 'InvalidArgument'],
  },
  {
    name: 'another body than signed',
    line: 'PUT /hostile/body',
    signed: { payloadHash: sha256(Buffer.from('signed')) },
    body: 'forged',
    outcome: [400, 'XAmzContentSHA256Mismatch'],
  },
  {
    name: 'unsigned aws-chunked with a bad signature',
    line: 'PUT /hostile/chunked',
    signed: {
      payloadHash: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
      headers: { 'x-amz-decoded-content-length': '1', 'x-amz-trailer': 'x-amz-checksum-crc32' },
    },
    body: '1\r\na\r\n0\r\nx-amz-checksum-crc32:6Ret7g==\r\n\r\n',
    change: authorization(/Signature=.{4}/, 'Signature=0000'),
    outcome: mismatch,
  },
  {
    name: 'elliptic curves',
    change: authorization(/AWS4-HMAC-SHA256/, 'AWS4-ECDSA-P256-SHA256'),
    outcome: [501, 'NotImplemented'],
  },
  ...['1B2M2Y8AsgTpgAmY7PhCfg', 'not base64!', '', 'YQ=='].map(
    (value): Signed => ({
      name: `Content-MD5 ${value}`,
      line: 'PUT /hostile/digest',
      signed: { headers: { 'content-md5': value } },
      outcome: [400, 'InvalidDigest'],
    }),
  ),
  {
    name: 'Content-MD5 of other bytes',
    line: 'PUT /hostile/digest',
    body: 'a',
    signed: { headers: { 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==' } },
    outcome: [400, 'BadDigest'],
  },
  {
    name: 'a checksum of other bytes',
    line: 'PUT /hostile/digest',
    body: 'a',
    signed: { headers: { 'x-amz-checksum-crc32': 'AAAAAA==' } },
    outcome: [400, 'BadDigest'],
  },
  {
    name: 'two checksums',
    line: 'PUT /hostile/digest',
    signed: { headers: { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-checksum-crc32c': 'AAAAAA==' } },
    outcome: [400, 'InvalidRequest'],
  },
  {
    name: 'a checksum of another algorithm’s length',
    line: 'PUT /hostile/digest',
    signed: { headers: { 'x-amz-checksum-sha256': 'AAAAAA==' } },
    outcome: [400, 'InvalidRequest'],
  },
]

export const headerSignatures: readonly Row[] = requests.map(
  ({ name, line = 'GET /hostile/object', body = '', signed = {}, change, outcome }) => ({
    name,
    bytes: (scene) => spoil(scene, { line, body, ...signed }, change),
    outcome,
  }),
)
