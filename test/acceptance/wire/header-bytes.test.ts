/**
 * Bytes beyond ASCII in stored headers. S3 returns `Content-Disposition` and its like byte for byte, and user metadata as
 * encoded words of RFC 2047.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer, CallOptions } from '../support/call.ts'
import { completionBody, expectStatus, openTestService, type TestService } from '../support/test-service.ts'
import { exchange, requestBytes, requestText } from '../support/wire.ts'

/** One byte per character. */
const values: Readonly<Record<string, string>> = {
  'ISO 8859-1': 'caf\xe9',
  'UTF-8': 'caf\xc3\xa9 \xf0\x9f\x8c\x8d',
  'UTF-8 beside ISO 8859-1': '\xc3\xa9\xe9',
  'a cut character': 'a\xf0\x9f\x8c',
  'all bytes': String.fromCharCode(...Array.from({ length: 128 }, (_, at) => 0x80 + at)),
  'a control character of Unicode': 'a\xc2\x85b\x85',
  'a tab': '\xe9\ta',
  'an encoded word': '=?ISO-8859-1?Q?caf=E9?=',
  'an encoded word of UTF-8': '=?UTF-8?Q?caf=C3=A9?=',
  'an encoded word that was encoded': '=?ISO-8859-1?Q?=3D=3FISO-8859-1=3FQ=3Fcaf=3DE9=3F=3D?=',
}
const names = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
  'x-amz-website-redirect-location',
]
const headersWith = (value: string): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, name.startsWith('x-amz-website') ? `/${value}` : value]))

describe('a stored header', () => {
  let service: TestService
  let seq = ''
  const key = () => `/bytes/${service.name()}`
  beforeAll(async () => {
    service = await openTestService()
    const made = expectStatus(await service.ask('PUT /bytes'), 200)
    seq = made.headers['x-varve-seq'] ?? ''
  })
  afterAll(() => service.stop())

  const send = (line: string, headers: CallOptions['headers'] = {}, body = ''): Promise<Answer> => {
    const extra = line.startsWith('GET') || line.startsWith('HEAD') ? [] : [`content-length: ${body.length}`]
    return exchange(service.server, requestBytes(service.server, line, { headers, body, extra }), line.split(' ')[0])
  }

  /** Every way to write an object with these headers, and the path of what was written. */
  const ways: Readonly<Record<string, (headers: Readonly<Record<string, string>>) => Promise<string>>> = {
    async PutObject(headers) {
      const path = key()
      expectStatus(await send(`PUT ${path}`, headers, 'x'), 200)
      return path
    },
    async 'CopyObject that keeps them'(headers) {
      const from = await ways['PutObject']?.(headers)
      const path = key()
      expectStatus(await send(`PUT ${path}`, { 'x-amz-copy-source': from ?? '' }), 200)
      return path
    },
    async 'CopyObject that replaces them'(headers) {
      const from = await ways['PutObject']?.({})
      const path = key()
      const more = { 'x-amz-copy-source': from ?? '', 'x-amz-metadata-directive': 'REPLACE' }
      expectStatus(await send(`PUT ${path}`, { ...headers, ...more }), 200)
      return path
    },
    async 'a multipart upload'(headers) {
      const path = key()
      const begun = expectStatus(await send(`POST ${path}?uploads`, headers), 200)
      const uploadId = begun.xml().get('UploadId')
      const part = expectStatus(await send(`PUT ${path}?partNumber=1&uploadId=${uploadId}`, {}, 'x'), 200)
      const body = completionBody([{ PartNumber: 1, ETag: part.headers['etag'] ?? '' }])
      expectStatus(await send(`POST ${path}?uploadId=${uploadId}`, {}, body), 200)
      return path
    },
  }

  const written = Object.keys(ways).flatMap((way) => Object.keys(values).map((what) => [way, what] as const))

  it.each(written)('comes back with the bytes that were sent: %s, %s', async (way, what) => {
    const sent = headersWith(values[what] ?? '')
    const path = (await ways[way]?.(sent)) ?? ''
    // As in S3, a copy has no redirect of its source.
    const { 'x-amz-website-redirect-location': redirect, ...copied } = sent
    const whole = expect.objectContaining(way === 'CopyObject that keeps them' ? copied : sent)
    expect(redirect).toBeDefined()
    expect((await send(`GET ${path}`)).headers).toEqual(whole)
    expect((await send(`HEAD ${path}`)).headers).toEqual(whole)
    expect((await send(`GET ${path}`, { range: 'bytes=0-0' })).headers).toEqual(whole)
    const known = await send(`GET ${path}`, { 'if-none-match': '*' })
    expect(known).toMatchObject({ status: 304, headers: { 'cache-control': sent['cache-control'] } })
  })

  it.each(['ISO 8859-1', 'UTF-8'])('comes back from the past: %s', async (what) => {
    const path = key()
    const sent = headersWith(values[what] ?? '')
    const put = expectStatus(await send(`PUT ${path}`, sent, 'x'), 200)
    expectStatus(await send(`PUT ${path}`, {}, 'y'), 200)
    expect(Number(put.headers['x-varve-seq'])).toBeGreaterThan(Number(seq))
    const past = await send(`GET ${path}`, { 'x-varve-at': put.headers['x-varve-seq'] ?? '' })
    expect(past.headers).toEqual(expect.objectContaining(sent))
  })

  it('can be signed', async () => {
    const line = `PUT ${key()}`
    const headers = headersWith(values['ISO 8859-1'] ?? '')
    const signed = requestBytes(service.server, line, { headers, extra: ['content-length: 0'] })
    expect((await exchange(service.server, signed)).status).toBe(200)
    const changed = await exchange(service.server, signed.replaceAll('caf\xe9', 'caf\xe8'))
    expect([changed.status, changed.code()]).toEqual([403, 'SignatureDoesNotMatch'])
    const utf8 = await exchange(service.server, signed.replaceAll('caf\xe9', 'caf\xc3\xa9'))
    expect([utf8.status, utf8.code()]).toEqual([403, 'SignatureDoesNotMatch'])
  })

  it.each([
    ['ISO 8859-1', 'caf\xe9', '=?UTF-8?Q?caf=C3=A9?='],
    ['UTF-8', 'caf\xc3\xa9', '=?UTF-8?Q?caf=C3=A9?='],
    ['an encoded word', '=?ISO-8859-1?Q?caf=E9?=', '=?UTF-8?Q?caf=C3=A9?='],
    ['ASCII', 'a b_c?=', 'a b_c?='],
  ])('of user metadata comes back as an encoded word, as in S3: %s', async (_, value, answered) => {
    for (const write of Object.values(ways)) {
      const path = await write({ 'x-amz-meta-a': value })
      expect((await send(`GET ${path}`)).headers['x-amz-meta-a']).toBe(answered)
      expect((await send(`HEAD ${path}`)).headers['x-amz-meta-a']).toBe(answered)
      // What came back means the same when it is sent again.
      const again = await write({ 'x-amz-meta-a': answered })
      expect((await send(`GET ${again}`)).headers['x-amz-meta-a']).toBe(answered)
    }
  })

  it('is refused with a control character', async () => {
    const bytes = requestText(`PUT ${key()}`, ['host: h', 'content-length: 0', 'cache-control: a\x01b'])
    expect((await exchange(service.server, bytes)).status).toBe(400)
  })
})
