import { SignatureV4 } from '@smithy/signature-v4'
import fc from 'fast-check'
import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { canonicalPath, canonicalQuery, percentEncode, sentPath } from './percent.ts'
import { presignedQuery, sha256Hex, signedHeaders } from './sign.ts'

const credentials = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }
const context = { credentials, region: 'us-east-1', now: new Date('2013-05-24T00:00:00Z') }
const host = 'examplebucket.s3.amazonaws.com'

describe('the examples that AWS publishes', () => {
  it.each([
    [
      'GET',
      '/test.txt',
      [],
      { Range: 'bytes=0-9' },
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ],
    ['GET', '/', [['lifecycle', '']], {}, 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
    [
      'GET',
      '/',
      [
        ['prefix', 'J'],
        ['max-keys', '2'],
      ],
      {},
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ],
  ] as const)('%s %s is signed alike', (...[method, path, query, headers, signature]) => {
    const signed = signedHeaders({ method, host, path, query, headers, payloadHash: sha256Hex('') }, context)
    expect(signed['authorization']).toContain(`Signature=${signature}`)
  })

  it('and so is the URL', () => {
    const query = presignedQuery(
      { method: 'GET', host, path: '/test.txt', query: [] },
      { ...context, expiresSeconds: 86_400 },
    )
    expect(query).toContain('X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404')
  })
})

describe("the signer of AWS's own SDK", () => {
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
  const official = new SignatureV4({
    service: 's3',
    region: 'us-east-1',
    credentials: { ...credentials, sessionToken: 'token' },
    sha256: Sha256,
    uriEscapePath: false,
  })

  it('writes the same signature for every key and every parameter', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((value) => !/\p{Surrogate}/u.test(value))
    await fc.assert(
      fc.asyncProperty(text, text, async (key, value) => {
        const request = { method: 'GET', host, path: `/b/${key}`, query: [['prefix', value]] as const }
        const ours = signedHeaders(
          { ...request, headers: { 'x-amz-meta-a': ' two  blanks ' }, payloadHash: sha256Hex('') },
          { ...context, credentials: { ...credentials, sessionToken: 'token' } },
        )
        const theirs = await official.sign(
          {
            method: 'GET',
            protocol: 'http:',
            hostname: host,
            path: canonicalPath(request.path),
            query: { prefix: value },
            headers: { host, 'x-amz-meta-a': ' two  blanks ', 'x-amz-content-sha256': sha256Hex('') },
          },
          { signingDate: context.now },
        )
        expect(ours['authorization']).toBe(theirs.headers['authorization'])
      }),
      { numRuns: 30 },
    )
  })
})

describe('the path of a request', () => {
  it.each([
    'a/../b',
    '..',
    '.',
    'a/./b',
    '../x',
    'a/..',
    '//',
    '/a',
    'a//b',
    'x%2F..',
    '%2e%2e',
    'a b?c#d',
    '\u0001',
    '😀',
    'é/',
  ])('reaches the server as it is: %j', (key) => {
    const url = new URL(`http://127.0.0.1:9000/prefix${sentPath(`/photos/${key}`)}`)
    expect(decodeURIComponent(url.pathname)).toBe(`/prefix/photos/${key}`)
    expect(url.pathname).not.toMatch(/\/\/|\/\.\.?(\/|$)/)
  })

  it('stays readable where it can', () => {
    expect(sentPath('/photos/2026/a b.jpg')).toBe('/photos/2026/a%20b.jpg')
    expect(sentPath('/photos/folder/')).toBe('/photos/folder/')
    expect(sentPath('/')).toBe('/')
  })

  it('with half a surrogate pair is sent as U+FFFD, instead of failing', () => {
    expect(percentEncode('a\ud800')).toBe('a%EF%BF%BD')
    expect(
      canonicalQuery([
        ['b', '1'],
        ['a', "'(*)!"],
      ]),
    ).toBe('a=%27%28%2A%29%21&b=1')
  })
})
