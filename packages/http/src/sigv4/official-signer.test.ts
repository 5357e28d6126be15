import { createHash, createHmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import { describe, expect, it } from 'vitest'
import { encodePath, percentEncode } from '../target/percent.ts'
import { signRequest } from './sign-request.ts'
import { asRead } from './received.fixture.ts'
import { verifyRequest } from '../authentication/verify-request.ts'

/** What the signer of AWS's own SDK signs, this verifies; and both signers write the same signature. */

type Secret = string | Uint8Array | ArrayBuffer | ArrayBufferView
class Sha256 {
  readonly #hash
  constructor(secret?: Secret) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', Buffer.from(secret as Uint8Array))
  }
  update(bytes: Uint8Array) {
    this.#hash.update(bytes)
  }
  async digest() {
    return new Uint8Array(this.#hash.digest())
  }
  reset() {}
}

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
const signer = (sessionToken?: string) =>
  new SignatureV4({
    service: 's3',
    region: 'eu',
    credentials: { ...credentials, ...(sessionToken !== undefined && { sessionToken }) },
    sha256: Sha256,
    uriEscapePath: false,
  })
const now = Date.UTC(2026, 0, 2, 3, 4, 5)
const verifying = {
  now,
  regions: ['eu'] as const,
  credentials: (id: string) => (id === credentials.accessKeyId ? credentials : undefined),
}

const keys = [
  'a//b',
  'a/../b',
  './a/./b',
  'a b',
  'a+b',
  'a%2Fb',
  'a%b',
  "~-._!*'()",
  '😀',
  '\u00e9',
  'e\u0301',
  '/leading',
  'trailing/',
  'x=1&y?z#w;:@$,',
  '\u0001',
  '\ufeffbom',
]

const queries: readonly Record<string, string | string[]>[] = [
  {},
  { b: '', a: '' },
  { a: ['', 'b'] },
  { prefix: 'a b+c', delimiter: '/' },
  { A: '1', a: '2', 'a-': '3', a0: '4' },
  { 'x-id': 'PutObject', uploadId: 'a=b', marker: '\u00e9😀' },
]

const rawQueryOf = (query: Record<string, string | string[]>) =>
  Object.entries(query)
    .flatMap(([name, value]) => [value].flat().map((one) => `${percentEncode(name)}=${percentEncode(one)}`))
    .join('&')

const headers: Record<string, string> = {
  host: 'localhost:9000',
  'x-amz-meta-spaces': '  inner   spaces\tand a tab \t',
  'x-amz-meta-empty': '',
  'content-type': 'text/plain; charset=utf-8',
  'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
}

const request = (path: string, query: Record<string, string | string[]>) => ({
  method: 'PUT',
  protocol: 'http:',
  hostname: 'localhost',
  port: 9000,
  path,
  query,
  headers,
})

const cases = [
  ...keys.map((key) => ({ path: `/bucket/${encodePath(key)}`, query: {} })),
  ...queries.map((query) => ({ path: '/bucket', query })),
]

describe("requests signed by AWS's own signer", () => {
  it.each(cases)('are verified by their headers: $path $query', async ({ path, query }) => {
    const signed = await signer().sign(request(path, query), { signingDate: new Date(now) })
    const received = {
      method: 'PUT',
      rawPath: path,
      rawQuery: rawQueryOf(query),
      rawHeaders: Object.entries(signed.headers).flat(),
    }
    expect(verifyRequest(asRead(received), verifying)).toMatchObject({
      identity: credentials,
      payload: { kind: 'unsigned' },
    })

    const ours = signRequest(
      { ...received, headers: Object.entries(headers).filter(([name]) => name !== 'x-amz-content-sha256') },
      { ...credentials, region: 'eu', now, payloadHash: 'UNSIGNED-PAYLOAD' },
    )
    expect(signed.headers['authorization']).toContain(`Signature=${ours.seedSignature}`)
  })

  it.each(cases)('are verified as URLs: $path $query', async ({ path, query }) => {
    const signed = await signer().presign(request(path, query), { signingDate: new Date(now), expiresIn: 60 })
    const received = {
      method: 'PUT',
      rawPath: path,
      rawQuery: rawQueryOf(signed.query as Record<string, string>),
      rawHeaders: Object.entries(signed.headers).flat(),
    }
    const verified = verifyRequest(asRead(received), verifying)
    expect(verified).toMatchObject({ presigned: true, identity: credentials })
    expect(verified.anonymous ? [] : verified.hoisted).toContainEqual([
      'x-amz-meta-spaces',
      headers['x-amz-meta-spaces'],
    ])
  })

  it('are verified with a session token, and refused with another', async () => {
    const signed = await signer('token/+=').sign(request('/b/k', {}), { signingDate: new Date(now) })
    const received = { method: 'PUT', rawPath: '/b/k', rawQuery: '', rawHeaders: Object.entries(signed.headers).flat() }
    const holding = (sessionToken: string) => ({ ...verifying, credentials: () => ({ ...credentials, sessionToken }) })
    expect(verifyRequest(asRead(received), holding('token/+='))).toMatchObject({ anonymous: false })
    expect(() => verifyRequest(asRead(received), holding('other'))).toThrow(
      expect.objectContaining({ code: 'InvalidToken' }),
    )
    expect(() => verifyRequest(asRead(received), verifying)).toThrow(expect.objectContaining({ code: 'InvalidToken' }))
  })
})
