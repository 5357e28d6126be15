/** Signatures that are not what they should be: in the header, and in the URL. */
import { presign } from 'varve/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type Pairs, sha256, sign, targetOf } from '../support/call.ts'
import { openDoor, type Door } from '../support/door.ts'
import { exchange, requestBytes, requestText } from '../support/wire.ts'

const minute = 60_000
const day = 24 * 60 * minute

interface Spoiled {
  readonly line: string
  readonly headers: Pairs
  readonly body: string
}

interface HeaderRow {
  readonly title: string
  readonly line?: string
  readonly body?: string
  readonly signed?: Parameters<typeof sign>[2]
  /** Changes what was signed before it is sent. */
  readonly spoil?: (request: Spoiled) => Partial<Spoiled>
  readonly outcome: readonly [status: number, code?: string]
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

const headerRows: readonly HeaderRow[] = [
  { title: 'a good signature', outcome: ok },
  { title: 'a good signature, in another accepted region', signed: { region: 'us-east-1' }, outcome: ok },
  { title: 'no signature', spoil: without('authorization'), outcome: denied },
  { title: 'an empty Authorization', spoil: having('authorization', () => ''), outcome: denied },
  { title: 'an unknown key', spoil: authorization(/AK-root/, 'AK-toor'), outcome: [403, 'InvalidAccessKeyId'] },
  {
    title: 'an access key named __proto__',
    spoil: authorization(/AK-root/, '__proto__'),
    outcome: [403, 'InvalidAccessKeyId'],
  },
  { title: 'someone else’s key', spoil: authorization(/AK-root/, 'AK-ann'), outcome: mismatch },
  { title: 'a wrong signature', spoil: authorization(/Signature=.{4}/, 'Signature=0000'), outcome: mismatch },
  { title: 'a signature one digit short', spoil: authorization(/.$/, ''), outcome: mismatch },
  { title: 'a signature one digit long', spoil: authorization(/$/, '0'), outcome: mismatch },
  { title: 'a signature that is not hexadecimal', spoil: authorization(/.$/, 'z'), outcome: mismatch },
  { title: 'an empty signature', spoil: authorization(/Signature=.*/, 'Signature='), outcome: malformed },
  { title: 'the scope of another day', spoil: authorization(/\/\d{8}\//, '/20200101/'), outcome: malformed },
  { title: 'the scope of another region', spoil: authorization(/\/eu\//, '/mars/'), outcome: malformed },
  { title: 'the scope of another service', spoil: authorization(/\/s3\//, '/ec2/'), outcome: malformed },
  { title: 'another terminator', spoil: authorization(/aws4_request/, 'aws5_request'), outcome: malformed },
  { title: 'a scope of three parts', spoil: authorization(/\/eu\//, '/'), outcome: malformed },
  { title: 'no Credential', spoil: authorization(/Credential=[^,]*, /, ''), outcome: malformed },
  { title: 'no SignedHeaders', spoil: authorization(/SignedHeaders=[^,]*, /, ''), outcome: malformed },
  { title: 'no Signature', spoil: authorization(/, Signature=.*/, ''), outcome: malformed },
  { title: 'Signature twice', spoil: authorization(/$/, ', Signature=0'), outcome: malformed },
  { title: 'nothing but the scheme', spoil: having('authorization', () => 'AWS4-HMAC-SHA256'), outcome: malformed },
  { title: 'another scheme', spoil: having('authorization', () => 'Bearer x'), outcome: [400, 'InvalidArgument'] },
  {
    title: 'the scheme of old',
    spoil: having('authorization', () => 'AWS AK-root:x'),
    outcome: [400, 'InvalidRequest'],
  },
  { title: 'a clock 14:55 ahead', signed: { clockAheadMs: 15 * minute - 5000 }, outcome: ok },
  { title: 'a clock 14:55 behind', signed: { clockAheadMs: -15 * minute + 5000 }, outcome: ok },
  { title: 'a clock 15:05 ahead', signed: { clockAheadMs: 15 * minute + 5000 }, outcome: skewed },
  { title: 'a clock 15:05 behind', signed: { clockAheadMs: -15 * minute - 5000 }, outcome: skewed },
  { title: 'a clock a year behind', signed: { clockAheadMs: -365 * day }, outcome: skewed },
  { title: 'no date', spoil: without('x-amz-date'), outcome: denied },
  { title: 'a date that is none', spoil: having('x-amz-date', () => 'yesterday'), outcome: denied },
  {
    title: 'a date of another day than its scope',
    spoil: having('x-amz-date', () => '20200101T000000Z'),
    outcome: malformed,
  },
  { title: 'host not signed', spoil: authorization(/host;/, ''), outcome: denied },
  { title: 'another host than signed', spoil: having('host', () => 'elsewhere.example'), outcome: mismatch },
  {
    title: 'a copy source added on the way',
    line: 'PUT /sig/copied',
    spoil: adding('x-amz-copy-source', '/sig/secret'),
    outcome: denied,
  },
  {
    title: 'a copy source added on the way, in the other spelling',
    line: 'PUT /sig/copied',
    spoil: adding('x-svc-copy-source', '/sig/secret'),
    outcome: denied,
  },
  { title: 'metadata added on the way', line: 'PUT /sig/added', spoil: adding('x-amz-meta-a', 'b'), outcome: denied },
  {
    title: 'metadata changed on the way',
    line: 'PUT /sig/changed',
    signed: { headers: { 'x-amz-meta-a': 'b' } },
    spoil: having('x-amz-meta-a', () => 'c'),
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
  ].map((query): HeaderRow => ({ title: `the query ${query}`, line: `GET /sig/object?${query}`, outcome: ok })),
  ...['a=&a=b', 'b&a', '&&a'].map(
    (query): HeaderRow => ({
      title: `the query ${query}, which may be a subresource`,
      line: `GET /sig/object?${query}`,
      outcome: [501, 'NotImplemented'],
    }),
  ),
  {
    title: 'white space around and within a signed header',
    line: 'PUT /sig/object',
    body: 'open',
    signed: { headers: { 'x-amz-meta-a': 'one two' } },
    spoil: having('x-amz-meta-a', () => ' \t one    two\t '),
    outcome: ok,
  },
  {
    title: 'a signed header sent in two',
    line: 'PUT /sig/object',
    body: 'open',
    signed: { headers: { 'x-amz-meta-a': 'one,two' } },
    spoil: ({ headers }) => ({
      headers: headers.flatMap(([name, value]) =>
        name === 'x-amz-meta-a' ? [[name, 'one'] as const, [name, 'two'] as const] : [[name, value] as const],
      ),
    }),
    outcome: ok,
  },
  { title: 'another method than signed', spoil: () => ({ line: 'HEAD /sig/object' }), outcome: [403] },
  { title: 'another path than signed', spoil: () => ({ line: 'GET /sig/secret' }), outcome: mismatch },
  {
    title: 'a parameter more than signed',
    spoil: () => ({ line: 'GET /sig/object?versionId=null' }),
    outcome: mismatch,
  },
  {
    title: 'signatures in both places',
    spoil: ({ line }) => ({ line: `${line}?X-Amz-Algorithm=AWS4-HMAC-SHA256` }),
    outcome: [400, 'InvalidArgument'],
  },
  { title: 'no payload hash', spoil: without('x-amz-content-sha256'), outcome: [400, 'InvalidRequest'] },
  {
    title: 'a payload hash that is no hash',
    signed: { payloadHash: 'SIGNED' },
    outcome: [400, 'InvalidArgument'],
  },
  {
    title: 'another body than signed',
    line: 'PUT /sig/body',
    signed: { payloadHash: sha256(Buffer.from('signed')) },
    body: 'forged',
    outcome: [400, 'XAmzContentSHA256Mismatch'],
  },
  {
    title: 'unsigned aws-chunked with a bad signature',
    line: 'PUT /sig/chunked',
    signed: {
      payloadHash: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
      headers: { 'x-amz-decoded-content-length': '1', 'x-amz-trailer': 'x-amz-checksum-crc32' },
    },
    body: '1\r\na\r\n0\r\nx-amz-checksum-crc32:6Ret7g==\r\n\r\n',
    spoil: authorization(/Signature=.{4}/, 'Signature=0000'),
    outcome: mismatch,
  },
  {
    title: 'elliptic curves',
    spoil: authorization(/AWS4-HMAC-SHA256/, 'AWS4-ECDSA-P256-SHA256'),
    outcome: [501, 'NotImplemented'],
  },
  ...['1B2M2Y8AsgTpgAmY7PhCfg', 'not base64!', '', 'YQ=='].map(
    (value): HeaderRow => ({
      title: `Content-MD5 ${value}`,
      line: 'PUT /sig/digest',
      signed: { headers: { 'content-md5': value } },
      outcome: [400, 'InvalidDigest'],
    }),
  ),
  {
    title: 'Content-MD5 of other bytes',
    line: 'PUT /sig/digest',
    body: 'a',
    signed: { headers: { 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==' } },
    outcome: [400, 'BadDigest'],
  },
  {
    title: 'a checksum of other bytes',
    line: 'PUT /sig/digest',
    body: 'a',
    signed: { headers: { 'x-amz-checksum-crc32': 'AAAAAA==' } },
    outcome: [400, 'BadDigest'],
  },
  {
    title: 'two checksums',
    line: 'PUT /sig/digest',
    signed: { headers: { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-checksum-crc32c': 'AAAAAA==' } },
    outcome: [400, 'InvalidRequest'],
  },
  {
    title: 'a checksum of another algorithm’s length',
    line: 'PUT /sig/digest',
    signed: { headers: { 'x-amz-checksum-sha256': 'AAAAAA==' } },
    outcome: [400, 'InvalidRequest'],
  },
]

describe('signatures in the header', () => {
  const door = doorWith({ object: 'open', secret: 'hidden words' })

  for (const { title, line = 'GET /sig/object', body = '', signed = {}, spoil = () => ({}), outcome } of headerRows) {
    it.concurrent(`answers ${title} with ${outcome.join(' ')}`, async () => {
      const { headers } = sign(door.server, line, { body, ...signed })
      const sent = { line, headers, body, ...spoil({ line, headers, body }) }
      const lines = sent.headers.map(([name, value]) => `${name}: ${value}`)
      const method = sent.line.slice(0, sent.line.indexOf(' '))
      const length = method === 'PUT' ? [`content-length: ${sent.body.length}`] : []
      const answer = await exchange(door.server, requestText(sent.line, [...lines, ...length], sent.body), method)
      expectOutcome(answer, outcome, method)
    })
  }

  it('has stored nothing of what was refused, and told no secret', async () => {
    const keys = (await door.list('sig')).all('Version').map((version) => version.get('Key'))
    expect(keys).toEqual(['object', 'secret'])
  })

  it('takes the same signed request twice: SigV4 has no nonce', async () => {
    const bytes = requestBytes(door.server, 'GET /sig/object')
    expect((await exchange(door.server, bytes)).status).toBe(200)
    expect((await exchange(door.server, bytes)).status).toBe(200)
  })

  it('says of itself what a mismatch is about, but not what the signature should be', async () => {
    const { headers, seedSignature } = sign(door.server, 'GET /sig/object')
    const spoiled = authorization(/Signature=.{64}/, `Signature=${'0'.repeat(64)}`)({ line: '', headers, body: '' })
    const lines = (spoiled.headers ?? []).map(([name, value]) => `${name}: ${value}`)
    const answer = await exchange(door.server, requestText('GET /sig/object', lines))
    expect(answer.code()).toBe('SignatureDoesNotMatch')
    expect(answer.text).not.toContain(seedSignature)
    expect(answer.text).not.toContain('the-secret-of')
  })
})

interface UrlRow {
  readonly title: string
  readonly line?: string
  readonly expiresSeconds?: number
  readonly agoMs?: number
  readonly headers?: Pairs
  readonly spoil?: (query: string) => string
  /** Sent with another method. */
  readonly method?: string
  readonly extra?: readonly string[]
  readonly outcome: readonly [status: number, code?: string]
}

const parameters = [400, 'AuthorizationQueryParametersError'] as const
const expires = (value: string) => (query: string) => query.replace(/X-Amz-Expires=\d+/, `X-Amz-Expires=${value}`)

const urlRows: readonly UrlRow[] = [
  { title: 'a good URL', outcome: ok },
  {
    title: 'a good URL of the longest life, near its end',
    expiresSeconds: 604_800,
    agoMs: 7 * day - minute,
    outcome: ok,
  },
  { title: 'a URL used a second late', expiresSeconds: 60, agoMs: minute + 1500, outcome: denied },
  {
    title: 'a URL of the longest life, a second late',
    expiresSeconds: 604_800,
    agoMs: 7 * day + 1500,
    outcome: denied,
  },
  { title: 'a URL from the future', agoMs: -16 * minute, outcome: denied },
  { title: 'a life that ended before it began', spoil: expires('-1'), outcome: denied },
  ...['0', '-', '604801', '1e3', '', '1.5', '%201'].map(
    (value): UrlRow => ({ title: `X-Amz-Expires=${value}`, spoil: expires(value), outcome: parameters }),
  ),
  { title: 'a life longer than signed', spoil: expires('86400'), outcome: mismatch },
  ...['Algorithm', 'Credential', 'Date', 'Expires', 'SignedHeaders', 'Signature'].flatMap((name): UrlRow[] => {
    const parameter = new RegExp(`&?X-Amz-${name}=[^&]*`)
    return [
      {
        title: `no X-Amz-${name}`,
        spoil: (query) => query.replace(parameter, '').replace(/^&/, ''),
        outcome: parameters,
      },
      {
        title: `X-Amz-${name} twice`,
        spoil: (query) => `${query}&${parameter.exec(query)?.[0].replace(/^&/, '') ?? ''}`,
        outcome: parameters,
      },
    ]
  }),
  {
    title: 'a wrong signature',
    spoil: (query) => query.replace(/Signature=.{4}/, 'Signature=0000'),
    outcome: mismatch,
  },
  { title: 'a URL for GET, used for HEAD', method: 'HEAD', outcome: [403] },
  { title: 'a URL for GET, used for PUT', method: 'PUT', extra: ['content-length: 0'], outcome: mismatch },
  { title: 'a URL for GET, used for DELETE', method: 'DELETE', outcome: mismatch },
  { title: 'an extra parameter', spoil: (query) => `${query}&versionId=null`, outcome: mismatch },
  { title: 'an extra parameter in front', spoil: (query) => `a=b&${query}`, outcome: mismatch },
  { title: 'an extra header nobody signed', extra: ['x-amz-meta-a: b'], outcome: denied },
  {
    title: 'a copy source that turns a PUT into a read',
    line: 'PUT /sig/copied',
    extra: ['x-amz-copy-source: /sig/secret', 'content-length: 0'],
    outcome: denied,
  },
  {
    title: 'a copy source among the parameters',
    line: 'PUT /sig/copied',
    spoil: (query) => `${query}&x-amz-copy-source=%2Fsig%2Fsecret`,
    extra: ['content-length: 0'],
    outcome: mismatch,
  },
  {
    title: 'an aws-chunked body',
    line: 'PUT /sig/chunked',
    headers: [['x-amz-content-sha256', 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD']],
    extra: ['x-amz-content-sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD', 'content-length: 0'],
    outcome: [400, 'InvalidRequest'],
  },
]

describe('signatures in the URL', () => {
  const door = doorWith({ object: 'open', secret: 'hidden words' })

  for (const row of urlRows) {
    const { title, line = 'GET /sig/object', expiresSeconds = 300, agoMs = 0, headers = [], extra = [], outcome } = row
    const { spoil = (query: string) => query } = row
    it.concurrent(`answers ${title} with ${outcome.join(' ')}`, async () => {
      const { method, ...target } = targetOf(line)
      const { rawQuery } = presign(
        { method, ...target, headers: [['host', door.server.host], ...headers] },
        { ...door.server.credentials('root'), region: 'eu', now: Date.now() - agoMs, expiresSeconds },
      )
      const sent = row.method ?? method
      const bytes = requestText(`${sent} ${target.rawPath}?${spoil(rawQuery)}`, [`host: ${door.server.host}`, ...extra])
      expectOutcome(await exchange(door.server, bytes, sent), outcome, sent)
    })
  }

  it('has stored and deleted nothing of what was refused', async () => {
    const keys = (await door.list('sig')).all('Version').map((version) => version.get('Key'))
    expect(keys).toEqual(['object', 'secret'])
  })
})

describe('bodies nobody signed', () => {
  it('are refused where the server was told so, and only bodies', async () => {
    const door = await openDoor({ serve: { unsignedPayload: 'refuse' } })
    try {
      const bucket = await door.bucket()
      const answer = await door.ask(`PUT /${bucket}/a`, { body: 'a', payloadHash: 'UNSIGNED-PAYLOAD' })
      expect([answer.status, answer.code()]).toEqual([403, 'AccessDenied'])
      expect((await door.ask(`PUT /${bucket}/a`, { body: 'a' })).status).toBe(200)
      expect((await door.ask(`GET /${bucket}/a`, { payloadHash: 'UNSIGNED-PAYLOAD' })).status).toBe(200)
    } finally {
      await door.stop()
    }
  })
})

function doorWith(objects: Readonly<Record<string, string>>): Pick<Door, 'server' | 'list'> {
  let door: Door
  beforeAll(async () => {
    door = await openDoor()
    await door.ask('PUT /sig')
    for (const [key, body] of Object.entries(objects)) await door.put(`/sig/${key}`, body)
  })
  afterAll(() => door.stop())
  return {
    get server() {
      return door.server
    },
    list: (...asked) => door.list(...asked),
  }
}

function expectOutcome(answer: Answer, [status, code]: readonly [number, string?], method: string): void {
  expect([answer.status, method === 'HEAD' ? undefined : answer.code()], answer.text).toEqual([status, code])
  expect(answer.text).not.toMatch(/hidden words|the-secret-of/)
}
