import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { S3Error } from '../errors/errors.ts'
import { detect } from '../operations/detect.ts'
import { operations } from '../operations/table.ts'
import { signRequest } from '../sigv4/sign-request.ts'
import { asRead } from '../sigv4/received.fixture.ts'
import type { VerifyOptions } from '../sigv4/verification.ts'
import { verifyRequest } from '../authentication/verify-request.ts'
import { parseQuery } from '../target/query-params.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import { signedParameters } from '../pipeline/signed-parameters.ts'

const secretAccessKey = 'a secret of alice'
const holder = { name: 'alice', secretAccessKey }
const now = Date.UTC(2026, 5, 15, 12)
const base: VerifyOptions<{ name: string; secretAccessKey: string; sessionToken?: string }> = {
  now,
  regions: ['eu'],
  credentials: (id) => (id === 'AKID' ? holder : undefined),
  v2Parameters: signedParameters,
}
const hmac = (text: string, secret = secretAccessKey) => createHmac('sha1', secret).update(text).digest('base64')

interface Sent {
  readonly method?: string
  readonly rawPath?: string
  readonly rawQuery?: string
  readonly headers?: readonly string[]
}

const verify = (
  { method = 'GET', rawPath = '/b/k', rawQuery = '', headers = [] }: Sent,
  options: Partial<typeof base> = {},
) =>
  verifyRequest(asRead({ method, rawPath, rawQuery, rawHeaders: ['Host', 'localhost', ...headers] }), {
    ...base,
    ...options,
  })

const refusal = (sent: Sent, options: Partial<typeof base> = {}): S3Error => {
  try {
    verify(sent, options)
  } catch (error) {
    if (error instanceof S3Error) return error
    throw error
  }
  throw new Error('nothing was refused')
}

const future = String(now / 1000 + 60)
/** A URL whose signature covers the given text, by default the text for `GET /b/k`. */
const url = (text = `GET\n\n\n${future}\n/b/k`, { expires = future, id = 'AKID', secret = secretAccessKey } = {}) =>
  `AWSAccessKeyId=${id}&Expires=${expires}&Signature=${encodeURIComponent(hmac(text, secret))}`

const date = new Date(now).toUTCString()
const authorization = (text = `GET\n\n\n${date}\n/b/k`) => ['Date', date, 'Authorization', `AWS AKID:${hmac(text)}`]

describe('a V2 signature', () => {
  it('is good in a URL and in a header', () => {
    expect(verify({ rawQuery: url() })).toMatchObject({ version: 'AWS', presigned: true, identity: holder })
    expect(verify({ headers: authorization() })).toMatchObject({ version: 'AWS', presigned: false, identity: holder })
  })

  it('is refused where V2 is not taken', () => {
    for (const sent of [{ rawQuery: url() }, { headers: authorization() }]) {
      const { code, message } = refusal(sent, { v2Parameters: undefined })
      expect([code, message]).toEqual(['InvalidRequest', expect.stringContaining('Please use AWS4-HMAC-SHA256')])
    }
  })

  it.each([
    ['another secret', 'SignatureDoesNotMatch', { rawQuery: url(undefined, { secret: 'other' }) }],
    ['an unknown access key', 'InvalidAccessKeyId', { rawQuery: url(undefined, { id: 'NOBODY' }) }],
    ['another method', 'SignatureDoesNotMatch', { rawQuery: url(), method: 'PUT' }],
    ['another key', 'SignatureDoesNotMatch', { rawQuery: url(), rawPath: '/b/k2' }],
    ['another spelling of the key', 'SignatureDoesNotMatch', { rawQuery: url(), rawPath: '/b/%6B' }],
    ['a later end', 'SignatureDoesNotMatch', { rawQuery: url().replace(future, `${future}0`) }],
    ['an added version', 'SignatureDoesNotMatch', { rawQuery: `${url()}&versionId=1` }],
    ['an added override', 'SignatureDoesNotMatch', { rawQuery: `${url()}&response-content-type=text%2Fhtml` }],
    ['an added header', 'SignatureDoesNotMatch', { rawQuery: url(), headers: ['x-amz-acl', 'public-read'] }],
    ['a header added in the URL', 'SignatureDoesNotMatch', { rawQuery: `${url()}&X-Amz-Acl=public-read` }],
    ['an added type', 'SignatureDoesNotMatch', { rawQuery: url(), headers: ['Content-Type', 'text/html'] }],
    ['a header of the other spelling', 'AccessDenied', { rawQuery: url(), headers: ['x-svc-acl', 'public-read'] }],
    ['such a header in the URL', 'AccessDenied', { rawQuery: `${url()}&x-svc-acl=public-read` }],
    ['a signature cut short', 'SignatureDoesNotMatch', { rawQuery: url().replace(/...$/, '') }],
    [
      'a signature that is no base64',
      'SignatureDoesNotMatch',
      { rawQuery: `${url().replace(/Signature=.*/, '')}Signature=%FF`.replace('%FF', '*') },
    ],
    ['two signatures', 'InvalidArgument', { rawQuery: `${url()}&Signature=x` }],
    ['two ends', 'InvalidArgument', { rawQuery: `${url()}&Expires=9999999999` }],
    ['no end', 'AccessDenied', { rawQuery: url().replace(/&Expires=\d+/, '') }],
    ['no access key', 'AccessDenied', { rawQuery: url().replace('AWSAccessKeyId=AKID&', '') }],
    ['an empty signature', 'AccessDenied', { rawQuery: url().replace(/Signature=.*/, 'Signature=') }],
    ['a header beside the URL', 'InvalidArgument', { rawQuery: url(), headers: authorization() }],
    ['V4 parameters beside V2 ones', 'InvalidArgument', { rawQuery: `${url()}&X-Amz-Algorithm=AWS4-HMAC-SHA256` }],
    ['a header without a signature', 'InvalidArgument', { headers: ['Date', date, 'Authorization', 'AWS HAHAHA'] }],
    ['a header that is only the scheme', 'InvalidArgument', { headers: ['Date', date, 'Authorization', 'AWS'] }],
    ['two headers', 'InvalidRequest', { headers: [...authorization(), ...authorization()] }],
    ['no date', 'AccessDenied', { headers: authorization().slice(2) }],
    ['a date that is none', 'AccessDenied', { headers: ['Date', 'today', ...authorization().slice(2)] }],
  ])('with %s is %s', (_, code, sent) => {
    expect(refusal(sent)).toMatchObject({ code })
  })

  it.each(['-5', 'NaN', '1e9', '', '1.5', ' 5', '0x10', '9'.repeat(13), '9'.repeat(400), '253402300800'])(
    'with the end %j is refused, however it is signed',
    (expires) => {
      const rawQuery = url(`GET\n\n\n${expires}\n/b/k`, { expires: encodeURIComponent(expires) })
      expect(refusal({ rawQuery })).toMatchObject({
        code: 'AccessDenied',
        message: expect.stringMatching(/seconds since epoch/),
      })
    },
  )

  it('is good up to its end, which may be far away, and then expired', () => {
    const rawQuery = url(`GET\n\n\n253402300799\n/b/k`, { expires: '253402300799' })
    expect(verify({ rawQuery })).toMatchObject({ presigned: true })
    expect(refusal({ rawQuery: url() }, { now: now + 60_001 })).toMatchObject({ message: 'Request has expired' })
  })

  it('in a header is good for 15 minutes either way', () => {
    for (const by of [-900_000, 900_000]) expect(verify({ headers: authorization() }, { now: now + by })).toBeDefined()
    for (const by of [-900_001, 901_000]) {
      expect(refusal({ headers: authorization() }, { now: now + by })).toMatchObject({ code: 'RequestTimeTooSkewed' })
    }
  })

  it('reveals the clock only with a good signature', () => {
    const rawQuery = url(undefined, { secret: 'other' })
    expect(refusal({ rawQuery }, { now: now + 1e9 })).toMatchObject({ code: 'SignatureDoesNotMatch' })
  })

  it('covers no chunks, and no body where bodies have to be covered', () => {
    const chunks = `PUT\n\n\n${future}\nx-amz-content-sha256:STREAMING-UNSIGNED-PAYLOAD-TRAILER\n/b/k`
    const headers = ['x-amz-content-sha256', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER']
    expect(refusal({ method: 'PUT', rawQuery: url(chunks), headers })).toMatchObject({ code: 'InvalidRequest' })
    const put = { method: 'PUT', rawQuery: url(`PUT\n\n\n${future}\n/b/k`) }
    expect(verify(put)).toMatchObject({ payload: { kind: 'unsigned' } })
    expect(refusal(put, { unsignedPayload: 'refuse' })).toMatchObject({ code: 'AccessDenied' })
  })

  it('goes with the token of its session, in the URL or beside it', () => {
    const sessionToken = 'a token/of+this session'
    const credentials = () => ({ ...holder, sessionToken })
    const text = `GET\n\n\n${future}\nx-amz-security-token:${sessionToken}\n/b/k`
    const inUrl = `${url(text)}&x-amz-security-token=${encodeURIComponent(sessionToken)}`
    expect(verify({ rawQuery: inUrl }, { credentials })).toMatchObject({ presigned: true })
    expect(
      verify({ rawQuery: url(text), headers: ['x-amz-security-token', sessionToken] }, { credentials }),
    ).toBeDefined()
    expect(refusal({ rawQuery: url() }, { credentials })).toMatchObject({ code: 'InvalidToken' })
    expect(refusal({ rawQuery: inUrl })).toMatchObject({ code: 'InvalidToken' })
  })

  it('holds headers that the URL carries, each once and none made of two', () => {
    const text = `PUT\n\n\n${future}\nx-amz-acl:private\nx-amz-meta-a:1\n/b/k`
    const put = (query: string) => ({ method: 'PUT', rawQuery: `${url(text)}&${query}` })
    expect(verify(put('x-amz-acl=private&X-Amz-Meta-A=1'))).toMatchObject({
      hoisted: [
        ['x-amz-acl', 'private'],
        ['x-amz-meta-a', '1'],
      ],
    })
    for (const query of [
      'x-amz-acl=private%0Ax-amz-meta-a:1',
      'x-amz-acl:private%0Ax-amz-meta-a=1',
      'x-amz-acl=private&x-amz-meta-a=1&X-amz-meta-a=1',
    ]) {
      expect(refusal(put(query)), query).toMatchObject({ code: 'InvalidArgument' })
    }
  })

  it('shows what was to be signed, but neither the signature nor a secret', () => {
    const headers = [
      'x-amz-security-token',
      'TOKEN',
      'x-amz-server-side-encryption-customer-key',
      'KEY',
      'x-amz-acl',
      'private',
    ]
    const { details } = refusal({ rawQuery: url(), headers })
    const lines = `x-amz-acl:private\nx-amz-security-token:…\nx-amz-server-side-encryption-customer-key:…`
    expect(details['StringToSign']).toBe(`GET\n\n\n${future}\n${lines}\n/b/k`)
    expect(JSON.stringify(details)).not.toContain(hmac(`GET\n\n\n${future}\n/b/k`).slice(0, 12))
  })

  it('of V4 is taken all the same', () => {
    const { headers } = signRequest(
      { method: 'GET', rawPath: '/b/k', headers: [['host', 'localhost']] },
      { accessKeyId: 'AKID', secretAccessKey, region: 'eu', now, payloadHash: 'UNSIGNED-PAYLOAD' },
    )
    expect(verify({ headers: headers.slice(1).flat() })).toMatchObject({ version: 'AWS4-HMAC-SHA256' })
  })
})

describe('a V2 URL for one operation', () => {
  const paths = { service: '/', bucket: '/b', object: '/b/k' } as const
  const headers = createRequestHeaders([])
  const names = new Set(
    operations.flatMap(({ when: { query = [] } }) =>
      query.map((wanted) => (typeof wanted === 'string' ? wanted : wanted[0])),
    ),
  )

  const built = operations.filter(({ handler }) => handler !== undefined)
  it.each(built.map(({ name, method, level, when }) => ({ name, method, level, when })))(
    '$name cannot be made one for another',
    ({ method, level, when: { query = [] } }) => {
      const own = query.map((wanted) => (typeof wanted === 'string' ? ([wanted, ''] as const) : wanted))
      const signedOnes = own.filter(([parameter]) => signedParameters.has(parameter)).map(([parameter]) => parameter)
      const suffix = signedOnes.length === 0 ? '' : `?${signedOnes.sort().join('&')}`
      const signed = url(`${method}\n\n\n${future}\n${paths[level]}${suffix}`)
      const requested = own.map(([parameter, value]) => (value === '' ? parameter : `${parameter}=${value}`)).join('&')
      const before = detect({ method, level, query: parseQuery(requested), headers }).name
      for (const added of names) {
        for (const rawQuery of [`${requested}&${added}`, `${requested}&${added}=2`, added, `${added}=2`, '']) {
          let taken = false
          try {
            taken = !verify({ method, rawPath: paths[level], rawQuery: `${rawQuery}&${signed}` }).anonymous
          } catch (error) {
            if (!(error instanceof S3Error)) throw error
          }
          if (!taken) continue
          const { name: after, handler } = detect({ method, level, query: parseQuery(rawQuery), headers })
          if (handler === undefined) continue
          // Both versions of listing need the same permission.
          if (!after.startsWith('ListObjects') || !before.startsWith('ListObjects')) expect(after).toBe(before)
        }
      }
    },
  )
})
