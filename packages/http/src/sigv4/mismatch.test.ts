import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { S3Error } from '../errors/errors.ts'
import { presign, signRequest } from './sign-request.ts'
import { asRead } from './received.fixture.ts'
import { verifyRequest } from '../authentication/verify-request.ts'

const now = Date.UTC(2026, 5, 15, 12)
const secretAccessKey = 'a secret of alice'
const sessionToken = 'a token/of+this session'
const signing = { accessKeyId: 'AKID', secretAccessKey, sessionToken, region: 'eu', now }
const request = { method: 'GET', rawPath: '/b/k', headers: [['host', 'localhost']] } as const

type Sent = readonly (readonly [string, string])[]

/** The error details for a request that was signed for GET and sent as PUT. */
function message(rawQuery: string, headers: Sent): Readonly<Record<string, string>> {
  try {
    const sent = { method: 'PUT', rawPath: request.rawPath, rawQuery, rawHeaders: headers.flat() }
    verifyRequest(asRead(sent), { now, regions: ['eu'], credentials: () => ({ secretAccessKey, sessionToken }) })
  } catch (error) {
    if (error instanceof S3Error && error.code === 'SignatureDoesNotMatch') return error.details
    throw error
  }
  throw new Error('Nothing was refused.')
}

describe('a signature that does not match', () => {
  const url = presign(request, { ...signing, expiresSeconds: 60 })
  const header = signRequest(request, { ...signing, payloadHash: 'UNSIGNED-PAYLOAD' })

  it.each([
    ['a URL', url.rawQuery, request.headers, url.signature],
    ['a header', '', header.headers, header.seedSignature],
  ])('of %s is shown only in part, and a token not at all, because both remain valid', (...row) => {
    const [, rawQuery, headers, signature] = row
    const details = message(rawQuery, headers)
    const text = Object.values(details).join('\n')
    for (const form of [signature, sessionToken, encodeURIComponent(sessionToken), secretAccessKey]) {
      expect(text).not.toContain(form)
    }
    expect(details['SignatureProvided']).toBe(`${signature.slice(0, 8)}…`)
    expect(details['CanonicalRequest']).toMatch(/security-token[:=]…/i)
    expect(inspect(details)).not.toContain(signature)
  })

  describe('has a hint', () => {
    const names = ['accept-encoding', 'connection', 'expect', 'user-agent', 'content-type', 'x-amz-meta-a', 'range']
    /** As of a client that signs more headers than Varve does. */
    const signedWith = (extra: readonly string[]): Sent => {
      const named = (list: string) => [...list.split(';'), ...extra].sort().join(';')
      const headers = header.headers.map(([name, value]) => {
        const isClaim = name.toLowerCase() === 'authorization'
        return [name, isClaim ? value.replace(/(?<=SignedHeaders=)[^,]+/, named) : value] as const
      })
      return [...headers, ...extra.map((name) => [name, 'as signed'] as const)]
    }
    const without = (headers: Sent, name: string): Sent => headers.filter(([sent]) => sent.toLowerCase() !== name)

    it.each(names)('that names %s, which was signed and is not there', (name) => {
      const hint = message('', without(signedWith([name]), name))['Hint']
      expect(hint).toContain(`The signature covers headers that the request does not have: ${name}.`)
    })

    it.each(names.slice(0, 5))('that names %s, which proxies change', (name) => {
      expect(message('', signedWith([name]))['Hint']).toContain(`headers that proxies often change: ${name}.`)
    })

    const others = `accept cache-control cdn-loop cf-ray date forwarded if-none-match keep-alive te traceparent upgrade via
      x-amzn-trace-id x-forwarded-for x-forwarded-port x-real-ip x-request-id`
    it.each(others.split(/\s+/))('that names %s, which a proxy, a cache or a trace changes', (name) => {
      expect(message('', signedWith([name]))['Hint']).toContain(`headers that proxies often change: ${name}.`)
    })

    it.each([
      ['s3.example.com', true],
      ['s3.example.com, inner.example.com', true],
      ['LocalHost', false],
      ['', false],
    ])('that names the host if a proxy changed it: X-Forwarded-Host %j', (forwarded, isNamed) => {
      const details = message('', [...header.headers, ['x-forwarded-host', forwarded]])
      const changed = /covers the Host header. It is localhost, but the first proxy received s3.example.com\./
      if (isNamed) expect(details['Hint']).toMatch(changed)
      else expect(details).not.toHaveProperty('Hint')
    })

    it('with all of them, and none without a reason', () => {
      expect(message('', without(signedWith(names), 'expect'))['Hint']).toBe(
        'The signature covers headers that the request does not have: expect. ' +
          'It covers headers that proxies often change: accept-encoding, connection, content-type, user-agent. ' +
          'Let the proxy pass them on as they are, or let the client not sign them.',
      )
      expect(message('', signedWith(['range']))).not.toHaveProperty('Hint')
    })
  })
})
