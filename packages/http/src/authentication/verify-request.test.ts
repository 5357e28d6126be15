import { createHmac } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { S3Error } from '../errors/errors.ts'
import { createVerifier } from './create-verifier.ts'
import { presign, signRequest } from '../sigv4/sign-request.ts'
import type { HeaderPairs } from '../sigv4/signing-arguments.ts'
import type { VerifyOptions } from '../sigv4/verification.ts'
import { asRead } from '../sigv4/received.fixture.ts'
import { verifyRequest } from './verify-request.ts'

const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
const holder = { name: 'alice', secretAccessKey }
const now = Date.UTC(2026, 5, 15, 12, 0, 0)
const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const signing = { accessKeyId: 'AKID', secretAccessKey, region: 'eu', now }
const base: VerifyOptions<typeof holder> = {
  now,
  regions: ['eu'],
  credentials: (id) => (id === 'AKID' ? holder : undefined),
}

interface Sent {
  method: string
  rawPath: string
  rawQuery: string
  headers: [string, string][]
}

/** A request as sent, which a test may then spoil. */
const signed = (change: Partial<Sent> = {}, by: Partial<typeof signing> & { payloadHash?: string } = {}): Sent => {
  const request = { method: 'PUT', rawPath: '/b/k', rawQuery: '', headers: [], ...change }
  const { headers } = signRequest(
    { ...request, headers: [['host', 'localhost:9000'], ...request.headers] },
    { ...signing, payloadHash: emptyHash, ...by },
  )
  return { ...request, headers: headers.map(([name, value]) => [name, value]) }
}
const presigned = (change: Partial<Sent> = {}, expiresSeconds = 60, by: Partial<typeof signing> = {}): Sent => {
  const request = { method: 'GET', rawPath: '/b/k', rawQuery: '', ...change }
  const headers: [string, string][] = [['host', 'localhost:9000'], ...(change.headers ?? [])]
  const { rawQuery } = presign({ ...request, headers }, { ...signing, ...by, expiresSeconds })
  return { ...request, rawQuery, headers }
}
const verify = ({ headers, ...rest }: Sent, options: Partial<typeof base> = {}) => {
  return verifyRequest(asRead({ ...rest, rawHeaders: headers.flat() }), { ...base, ...options })
}
const refusal = (attempt: () => unknown): S3Error => {
  try {
    attempt()
  } catch (error) {
    if (error instanceof S3Error) return error
    throw error
  }
  throw new Error('nothing was refused')
}
const header = (sent: Sent, name: string) => sent.headers.find(([n]) => n === name)?.[1] ?? ''
const withHeader = (sent: Sent, name: string, value: string | undefined): Sent => ({
  ...sent,
  headers: [
    ...sent.headers.filter(([n]) => n !== name),
    ...(value === undefined ? [] : [[name, value] as [string, string]]),
  ],
})
const addHeader = (sent: Sent, name: string, value: string): Sent => ({
  ...sent,
  headers: [...sent.headers, [name, value]],
})
const editAuthorization = (sent: Sent, from: string | RegExp, to: string): Sent =>
  withHeader(sent, 'authorization', header(sent, 'authorization').replace(from, to))
const editQuery = (sent: Sent, from: string | RegExp, to: string): Sent => ({
  ...sent,
  rawQuery: sent.rawQuery.replace(from, to),
})

describe('a request signed by headers', () => {
  it('is verified, with all that its body needs', () => {
    expect(verify(signed({ rawQuery: 'versions&prefix=a' }))).toMatchObject({
      anonymous: false,
      identity: holder,
      accessKeyId: 'AKID',
      presigned: false,
      payload: { kind: 'signed', sha256: emptyHash },
      signedHeaders: ['host', 'x-amz-content-sha256', 'x-amz-date'],
      scope: '20260615/eu/s3/aws4_request',
      amzDate: '20260615T120000Z',
      hoisted: [],
    })
  })

  it('without any credentials is anonymous', () => {
    expect(verify({ ...signed(), headers: [['host', 'localhost:9000']] })).toEqual({ anonymous: true })
    expect(verify(withHeader(signed(), 'authorization', ''))).toEqual({ anonymous: true })
  })

  const rows: readonly [name: string, code: string, spoil: () => Sent][] = [
    ['another secret', 'SignatureDoesNotMatch', () => signed({}, { secretAccessKey: 'other' })],
    ['an unknown access key', 'InvalidAccessKeyId', () => signed({}, { accessKeyId: 'NOBODY' })],
    ['an access key named __proto__', 'InvalidAccessKeyId', () => signed({}, { accessKeyId: '__proto__' })],
    ['a signature of 63 digits', 'SignatureDoesNotMatch', () => editAuthorization(signed(), /.$/, '')],
    ['a signature of 66 digits', 'SignatureDoesNotMatch', () => editAuthorization(signed(), /$/, '00')],
    [
      'a signature that is no hex',
      'SignatureDoesNotMatch',
      () => editAuthorization(signed(), /.{64}$/, 'z'.repeat(64)),
    ],
    ['a signature of zeros', 'SignatureDoesNotMatch', () => editAuthorization(signed(), /.{64}$/, '0'.repeat(64))],
    [
      'another scope date',
      'AuthorizationHeaderMalformed',
      () => editAuthorization(signed(), '/20260615/', '/20260614/'),
    ],
    [
      'a scope date of 7 digits',
      'AuthorizationHeaderMalformed',
      () => editAuthorization(signed(), '/20260615/', '/2026061/'),
    ],
    ['another region', 'AuthorizationHeaderMalformed', () => signed({}, { region: 'us-east-1' })],
    ['another service', 'AuthorizationHeaderMalformed', () => editAuthorization(signed(), '/s3/', '/ec2/')],
    ['another terminator', 'AuthorizationHeaderMalformed', () => editAuthorization(signed(), 'aws4_request', 'aws4')],
    ['a credential of four parts', 'AuthorizationHeaderMalformed', () => editAuthorization(signed(), 'AKID/', '')],
    ['no Credential', 'AuthorizationHeaderMalformed', () => editAuthorization(signed(), /Credential=\S+ /, '')],
    ['no SignedHeaders', 'AuthorizationHeaderMalformed', () => editAuthorization(signed(), /SignedHeaders=\S+ /, '')],
    ['no Signature', 'AuthorizationHeaderMalformed', () => editAuthorization(signed(), /, Signature=.*/, '')],
    ['Signature twice', 'AuthorizationHeaderMalformed', () => editAuthorization(signed(), /$/, ', Signature=00')],
    [
      'nothing after the scheme',
      'AuthorizationHeaderMalformed',
      () => withHeader(signed(), 'authorization', 'AWS4-HMAC-SHA256 '),
    ],
    [
      'a signed header in upper case',
      'AuthorizationHeaderMalformed',
      () => editAuthorization(signed(), 'Headers=host', 'Headers=Host'),
    ],
    [
      'a signed header twice',
      'AuthorizationHeaderMalformed',
      () => editAuthorization(signed(), 'Headers=host', 'Headers=host;host'),
    ],
    ['no date at all', 'AccessDenied', () => withHeader(signed(), 'x-amz-date', undefined)],
    ['a date in another form', 'AccessDenied', () => withHeader(signed(), 'x-amz-date', '2026-06-15T12:00:00Z')],
    ['a date that is none', 'AccessDenied', () => withHeader(signed(), 'x-amz-date', '20260631T120000Z')],
    ['host unsigned', 'AccessDenied', () => editAuthorization(signed(), 'Headers=host;', 'Headers=')],
    ['an added x-amz-copy-source', 'AccessDenied', () => addHeader(signed(), 'x-amz-copy-source', '/b/secret')],
    ['an added x-svc-copy-source', 'AccessDenied', () => addHeader(signed(), 'X-Svc-Copy-Source', '/b/secret')],
    ['no x-amz-content-sha256', 'InvalidRequest', () => withHeader(signed(), 'x-amz-content-sha256', undefined)],
    ['a payload word S3 does not have', 'InvalidArgument', () => signed({}, { payloadHash: 'UNSIGNED' })],
    [
      'chunks signed by elliptic curve',
      'NotImplemented',
      () => signed({}, { payloadHash: 'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD' }),
    ],
    [
      'Authorization twice',
      'InvalidRequest',
      () => addHeader(signed(), 'Authorization', header(signed(), 'authorization')),
    ],
    ['X-Amz-Date twice', 'InvalidRequest', () => addHeader(signed(), 'X-Amz-Date', '20260615T120000Z')],
    ['x-svc-date beside it, different', 'InvalidRequest', () => addHeader(signed(), 'x-svc-date', '20260615T120001Z')],
    ['X-Amz-Content-Sha256 twice', 'InvalidRequest', () => addHeader(signed(), 'X-Amz-Content-SHA256', emptyHash)],
    ['Host twice', 'InvalidRequest', () => addHeader(signed(), 'Host', 'evil')],
    [
      'Content-MD5 twice',
      'InvalidRequest',
      () => addHeader(addHeader(signed(), 'content-md5', 'a'), 'Content-MD5', 'b'),
    ],
    ['the signature before SigV4', 'InvalidRequest', () => withHeader(signed(), 'authorization', 'AWS AKID:c2ln')],
    ['SigV4A', 'NotImplemented', () => editAuthorization(signed(), 'AWS4-HMAC-SHA256', 'AWS4-ECDSA-P256-SHA256')],
    ['Bearer', 'InvalidArgument', () => withHeader(signed(), 'authorization', 'Bearer abc')],
    ['a presigned query as well', 'InvalidArgument', () => ({ ...signed(), rawQuery: presigned().rawQuery })],
    ['a query signed the old way as well', 'InvalidArgument', () => ({ ...signed(), rawQuery: 'Signature=a' })],
    ['another method', 'SignatureDoesNotMatch', () => ({ ...signed(), method: 'DELETE' })],
    ['another path', 'SignatureDoesNotMatch', () => ({ ...signed(), rawPath: '/b/j' })],
    ['an added parameter', 'SignatureDoesNotMatch', () => ({ ...signed(), rawQuery: 'acl' })],
    [
      'another payload hash',
      'SignatureDoesNotMatch',
      () => withHeader(signed(), 'x-amz-content-sha256', 'a'.repeat(64)),
    ],
    [
      'a changed signed header',
      'SignatureDoesNotMatch',
      () => withHeader(signed({ headers: [['range', 'bytes=0-1']] }), 'range', 'bytes=0-2'),
    ],
    [
      'a removed signed header',
      'SignatureDoesNotMatch',
      () => withHeader(signed({ headers: [['range', 'bytes=0-1']] }), 'range', undefined),
    ],
    [
      'a signed header sent again',
      'SignatureDoesNotMatch',
      () => addHeader(signed({ headers: [['range', 'a']] }), 'Range', 'a'),
    ],
    ['a path that is no UTF-8', 'InvalidURI', () => ({ ...signed(), rawPath: '/b/%c0%af' })],
    [
      'a seed of another secret, unsigned chunks',
      'SignatureDoesNotMatch',
      () => signed({}, { secretAccessKey: 'x', payloadHash: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' }),
    ],
  ]
  it.each(rows)('is refused with %s: %s', (_name, code, spoil) => {
    expect(refusal(() => verify(spoil())).code).toBe(code)
  })

  it('is refused with what was signed when the signatures differ, never with the secret', () => {
    const error = refusal(() => verify({ ...signed(), rawPath: '/b/j' }))
    expect(Object.keys(error.details)).toEqual([
      'AWSAccessKeyId',
      'StringToSign',
      'SignatureProvided',
      'CanonicalRequest',
    ])
    expect(error.details['CanonicalRequest']).toMatch(/^PUT\n\/b\/j\n\nhost:localhost:9000\n/)
    expect(inspect(error)).not.toContain(secretAccessKey)
  })

  it('is refused with the region to use, or the headers that were not signed', () => {
    expect(refusal(() => verify(signed({}, { region: 'mars' }))).details).toEqual({ Region: 'eu' })
    const added = addHeader(addHeader(signed(), 'x-amz-acl', 'private'), 'X-SVC-Meta-A', '1')
    expect(refusal(() => verify(added)).details).toEqual({ HeadersNotSigned: 'x-amz-acl, x-svc-meta-a' })
  })

  it.each([
    [-900_000, 'taken'],
    [900_000, 'taken'],
    [-899_000, 'taken'],
    [899_000, 'taken'],
    [-901_000, 'RequestTimeTooSkewed'],
    [901_000, 'RequestTimeTooSkewed'],
  ])('with a clock off by %i ms is %s', (offset, outcome) => {
    const attempt = () => verify(signed(), { now: now + offset })
    if (outcome === 'taken') expect(attempt()).toMatchObject({ anonymous: false })
    else expect(refusal(attempt).code).toBe(outcome)
  })

  it('learns nothing about the clock without a signature', () => {
    const late = { now: now + 1e9 }
    expect(refusal(() => verify(signed({}, { secretAccessKey: 'other' }), late)).code).toBe('SignatureDoesNotMatch')
    expect(refusal(() => verify(signed({}, { accessKeyId: 'NOBODY' }), late)).code).toBe('InvalidAccessKeyId')
  })

  it('may bring its time in Date instead', () => {
    const sent = signed({ headers: [['date', 'Mon, 15 Jun 2026 12:00:00 GMT']] })
    const names = 'date;host;x-amz-content-sha256'
    const dateless = withHeader(sent, 'x-amz-date', undefined)
    const attempt = () => verify(editAuthorization(dateless, /SignedHeaders=[^,]+/, `SignedHeaders=${names}`))
    const text = refusal(attempt).details['StringToSign'] ?? ''
    expect(text).toContain('\n20260615T120000Z\n')
    const key = ['20260615', 'eu', 's3', 'aws4_request'].reduce<string | Buffer>(
      (secret, part) => createHmac('sha256', secret).update(part).digest(),
      `AWS4${secretAccessKey}`,
    )
    const signature = createHmac('sha256', key).update(text).digest('hex')
    const good = editAuthorization(
      editAuthorization(dateless, /SignedHeaders=[^,]+/, `SignedHeaders=${names}`),
      /.{64}$/,
      signature,
    )
    expect(verify(good)).toMatchObject({ amzDate: '20260615T120000Z' })
    expect(refusal(() => verify(withHeader(good, 'date', 'Mon, 15 Jun 2026 12:00:01 GMT'))).code).toBe(
      'SignatureDoesNotMatch',
    )
    expect(refusal(() => verify(withHeader(good, 'date', 'yesterday'))).code).toBe('AccessDenied')
  })

  it('may name any region when any is accepted, and hold slashes in its key id', () => {
    const credentials = (id: string) => (id === 'a/b' ? holder : undefined)
    const sent = signed({}, { region: 'mars', accessKeyId: 'a/b' })
    expect(verify(sent, { regions: 'any', credentials })).toMatchObject({ accessKeyId: 'a/b' })
  })

  it('may spell its headers x-svc- and its signature in upper case', () => {
    const sent = signed({ headers: [['x-svc-meta-a', '1']] })
    const upper = editAuthorization(sent, /.{64}$/, header(sent, 'authorization').slice(-64).toUpperCase())
    expect(verify(upper)).toMatchObject({ seedSignature: header(sent, 'authorization').slice(-64) })
  })

  it('is signed over header bytes: runs of blanks collapse, letters of two bytes stay', () => {
    const bytes = Buffer.from('caf\u00e0', 'utf8').toString('latin1')
    const sent = signed({ headers: [['x-amz-meta-a', ` a   b\t\tc ${bytes} `]] })
    const tidy = withHeader(sent, 'x-amz-meta-a', `a b c ${bytes}`)
    expect(verify(tidy)).toMatchObject({ anonymous: false })
    expect(refusal(() => verify(withHeader(sent, 'x-amz-meta-a', `a b c ${bytes.slice(0, -1)}`))).code).toBe(
      'SignatureDoesNotMatch',
    )
  })

  it('joins repeated headers by a bare comma', () => {
    const headers: [string, string][] = [
      ['x-amz-meta-a', '1'],
      ['x-amz-meta-a', ' 2'],
    ]
    expect(verify(withHeader(signed({ headers }), 'x-amz-meta-a', '1,2'))).toMatchObject({ anonymous: false })
  })

  it('may leave its body unsigned only where that is allowed', () => {
    const strict = { unsignedPayload: 'refuse' } as const
    for (const payloadHash of ['UNSIGNED-PAYLOAD', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER']) {
      expect(verify(signed({}, { payloadHash }))).toMatchObject({ anonymous: false })
      expect(refusal(() => verify(signed({}, { payloadHash }), strict)).code).toBe('AccessDenied')
      expect(verify(signed({ method: 'GET' }, { payloadHash }), strict)).toMatchObject({ anonymous: false })
    }
    expect(verify(signed(), strict)).toMatchObject({ anonymous: false })
  })

  it('may be sent twice: SigV4 has no nonce', () => {
    const verifier = createVerifier(base)
    const { headers, ...rest } = signed()
    const request = asRead({ ...rest, rawHeaders: headers.flat() })
    expect(verifier(request, now)).toEqual(verifier(request, now))
  })

  it('shows no key when the result is printed', () => {
    const verified = verify(signed())
    expect(inspect({ ...verified, identity: undefined }, { depth: 9 })).not.toMatch(/<Buffer|wJalr/)
    expect(JSON.stringify({ ...verified, identity: undefined })).toContain('"signingKey":{}')
  })
})

describe('the order of path and query bytes', () => {
  it.each([
    ['/b/a%2Fb', '/b/a/b'],
    ['/b/%61', '/b/a'],
    ['/b/%7Ea', '/b/~a'],
    ['/b/a%2bb', '/b/a+b'],
  ])('%s is signed as what it decodes to, as is %s', (one, other) => {
    expect(verify({ ...signed({ rawPath: one }), rawPath: other })).toMatchObject({ anonymous: false })
  })

  it.each([
    ['/b/a//b', '/b/a/b'],
    ['/b/a/../b', '/b/b'],
    ['/b/%C3%A9', '/b/e%CC%81'],
    ['/b/a+b', '/b/a%20b'],
    ['/b/a%252Fb', '/b/a%2Fb'],
  ])('%s is not %s', (one, other) => {
    expect(refusal(() => verify({ ...signed({ rawPath: one }), rawPath: other })).code).toBe('SignatureDoesNotMatch')
  })

  it.each([
    ['b&a', 'a=&b='],
    ['a=b&a=', 'a=&a=b'],
    ['a=1+2', 'a=1%202'],
    ['A=1&a=1', 'a=1&A=1'],
  ])('?%s is signed like ?%s', (one, other) => {
    expect(verify({ ...signed({ rawQuery: one }), rawQuery: other })).toMatchObject({ anonymous: false })
  })
})

describe('an unknown access key', () => {
  it('costs an HMAC like a known one', () => {
    const derive = vi.fn(() => {
      throw new Error('derived')
    })
    const signingKeys = { derive, remember: vi.fn() }
    expect(() => verify(signed({}, { accessKeyId: 'NOBODY' }), { signingKeys })).toThrow('derived')
    expect(derive).toHaveBeenCalledOnce()
  })
})

describe('a presigned URL', () => {
  it('is verified until its last second', () => {
    const sent = presigned({ rawQuery: 'response-content-type=text%2Fplain' }, 60)
    for (const later of [0, 1_000, 60_000]) {
      expect(verify(sent, { now: now + later })).toMatchObject({ presigned: true, payload: { kind: 'unsigned' } })
    }
    const { code, details } = refusal(() => verify(sent, { now: now + 61_000 }))
    expect([code, details]).toEqual([
      'AccessDenied',
      { 'X-Amz-Expires': '60', Expires: '2026-06-15T12:01:00Z', ServerTime: '2026-06-15T12:01:01Z' },
    ])
  })

  it('lives 7 days at most, and not a second longer', () => {
    const week = 604_800
    expect(verify(presigned({}, week), { now: now + week * 1000 })).toMatchObject({ presigned: true })
    expect(refusal(() => verify(presigned({}, week), { now: now + week * 1000 + 1000 })).code).toBe('AccessDenied')
    expect(() => presigned({}, week + 1)).toThrow(expect.objectContaining({ code: 'InvalidArgument' }))
  })

  it('may be used 15 minutes before its time, not earlier', () => {
    expect(verify(presigned(), { now: now - 900_000 })).toMatchObject({ presigned: true })
    expect(refusal(() => verify(presigned(), { now: now - 901_000 })).code).toBe('AccessDenied')
  })

  const rows: readonly [name: string, code: string, spoil: () => Sent][] = [
    ...['Algorithm', 'Credential', 'Date', 'Expires', 'SignedHeaders'].map((name): [string, string, () => Sent] => [
      `no X-Amz-${name}`,
      'AuthorizationQueryParametersError',
      () => editQuery(presigned(), new RegExp(`X-Amz-${name}=[^&]*&?`), ''),
    ]),
    [
      'no X-Amz-Signature',
      'AuthorizationQueryParametersError',
      () => editQuery(presigned(), /&X-Amz-Signature=.*/, ''),
    ],
    ...['-', '604801', '1e3', '', '60.5', '99999999999999999999', '%20', '-1', '-1000'].map(
      (value): [string, string, () => Sent] => [
        `X-Amz-Expires=${value}`,
        'AuthorizationQueryParametersError',
        () => editQuery(presigned(), 'Expires=60', `Expires=${value}`),
      ],
    ),
    ...['0', '-0'].map((value): [string, string, () => Sent] => [
      `X-Amz-Expires=${value}, over before it began`,
      'AccessDenied',
      () => editQuery(presigned(), 'Expires=60', `Expires=${value}`),
    ]),
    [
      'X-Amz-Expires twice',
      'AuthorizationQueryParametersError',
      () => editQuery(presigned(), /$/, '&X-Amz-Expires=60'),
    ],
    [
      'x-amz-expires in lower case as well',
      'AuthorizationQueryParametersError',
      () => editQuery(presigned(), /$/, '&x-amz-expires=60'),
    ],
    [
      'another algorithm',
      'AuthorizationQueryParametersError',
      () => editQuery(presigned(), 'AWS4-HMAC-SHA256', 'AWS4-HMAC-SHA1'),
    ],
    ['SigV4A', 'NotImplemented', () => editQuery(presigned(), 'AWS4-HMAC-SHA256', 'AWS4-ECDSA-P256-SHA256')],
    ['another region', 'AuthorizationQueryParametersError', () => presigned({}, 60, { region: 'mars' })],
    [
      'a date in another form',
      'AuthorizationQueryParametersError',
      () => editQuery(presigned(), 'Date=20260615T120000Z', 'Date=now'),
    ],
    [
      'a date on another day',
      'AuthorizationQueryParametersError',
      () => editQuery(presigned(), 'Date=20260615T', 'Date=20260614T'),
    ],
    [
      'a longer life than was signed',
      'SignatureDoesNotMatch',
      () => editQuery(presigned(), 'Expires=60', 'Expires=61'),
    ],
    ['the method HEAD', 'SignatureDoesNotMatch', () => ({ ...presigned(), method: 'HEAD' })],
    ['the method PUT', 'SignatureDoesNotMatch', () => ({ ...presigned(), method: 'PUT' })],
    ['an added parameter', 'SignatureDoesNotMatch', () => editQuery(presigned(), /^/, 'versionId=1&')],
    [
      'an added header',
      'AccessDenied',
      () => addHeader(presigned({ method: 'PUT' }), 'x-amz-copy-source', '/b/secret'),
    ],
    ['another host', 'SignatureDoesNotMatch', () => withHeader(presigned(), 'host', 'evil')],
    [
      'a streaming payload',
      'InvalidRequest',
      () => presigned({ method: 'PUT', headers: [['x-amz-content-sha256', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER']] }),
    ],
    ['an unknown access key', 'InvalidAccessKeyId', () => presigned({}, 60, { accessKeyId: 'NOBODY' })],
    [
      'the parameters of the signature before SigV4',
      'InvalidRequest',
      () => ({ ...presigned(), rawQuery: 'AWSAccessKeyId=a&Signature=b&Expires=1' }),
    ],
  ]
  it.each(rows)('is refused with %s: %s', (_name, code, spoil) => {
    expect(refusal(() => verify(spoil())).code).toBe(code)
  })

  it('may bind its body by a signed hash', () => {
    const headers: [string, string][] = [['x-amz-content-sha256', emptyHash]]
    expect(verify(presigned({ method: 'PUT', headers }))).toMatchObject({
      payload: { kind: 'signed', sha256: emptyHash },
    })
  })

  it('brings headers as parameters, but neither its own nor checksums of another body', () => {
    const rawQuery =
      'x-amz-meta-a=caf%C3%A9&X-Amz-Acl=private&x-amz-checksum-crc32=AAAAAA%3D%3D&x-amz-sdk-checksum-algorithm=CRC32&x-amz-checksum-mode=ENABLED&x-svc-checksum-sha1=a'
    expect(verify(presigned({ method: 'PUT', rawQuery }))).toMatchObject({
      hoisted: [
        ['x-amz-acl', 'private'],
        ['x-amz-meta-a', 'caf\u00c3\u00a9'],
      ],
    })
  })
})

describe('the signer', () => {
  it('refuses to sign without a host', () => {
    const headers: HeaderPairs = []
    const request = { method: 'GET', rawPath: '/', headers }
    const refused = expect.objectContaining({ code: 'InvalidArgument', details: { ArgumentName: 'request.headers' } })
    expect(() => signRequest(request, { ...signing, payloadHash: emptyHash })).toThrow(refused)
    expect(() => presign(request, { ...signing, expiresSeconds: 1 })).toThrow(refused)
  })
})
