/** Keys are bytes: each is what it is, comes back as it is, stays in its bucket, and leaves no trace in a path. */
import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { presign } from 'varve/http'
import { expectStatus, openTestService, refusal, type TestService } from '../support/test-service.ts'
import { exchange, requestBytes, requestText } from '../support/wire.ts'

/** Percent-encoded as it goes over the wire, signed as it is sent. */
const strictly = (key: string) =>
  encodeURIComponent(key)
    .replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%2F', '/')

const keys = [
  'plain',
  '.',
  '..',
  '../..',
  '../../x',
  'a/../b',
  'a/../../b',
  'a/./b',
  'a//b',
  'a/',
  'a//',
  'a',
  '/',
  '//',
  '///',
  '/a',
  '//a',
  'a b',
  ' a',
  'a ',
  'a.',
  'a+b',
  'a%2Fb',
  'a%b',
  '%',
  '%00',
  'a?b',
  'a?versionId=null',
  'a#b',
  'a&b=c',
  'a;b',
  "~-._!*'()",
  '<&>"\'',
  ']]>',
  'C:\\x',
  '\\..\\..',
  'con',
  'NUL',
  'aux.txt',
  '.git/config',
  '\u0000',
  'a\u0000b',
  '\u0001\u001f\u007f',
  'tab\there',
  'cr\rlf\nend',
  '\u00e9',
  'e\u0301',
  '\u212b',
  '\u00c5',
  '😀',
  '👩‍👩‍👧',
  '\ufeffbom',
  '\ufffd',
  '\uffff',
  '\u{10ffff}',
  '\u202egnp',
  'é'.repeat(512),
  'k'.repeat(1024),
  '/'.repeat(1024),
  '../'.repeat(341),
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
]

const shown = (key: string) => (key.length > 24 ? `${JSON.stringify(key.slice(0, 12))} and on` : JSON.stringify(key))

describe('keys', () => {
  let service: TestService
  let before: readonly string[]
  const bodies = new Map(keys.map((key, index) => [key, `body ${index}`]))

  beforeAll(async () => {
    service = await openTestService()
    await service.ask('PUT /keys')
    await service.ask('PUT /other')
    await service.put('/other/b', 'in the other bucket')
    await service.put('/keys/first')
    before = await names()
    await Promise.all([...bodies].map(([key, body]) => service.put(`/keys/${strictly(key)}`, body)))
  })
  afterAll(() => service.stop())

  /** Everything in the store's directory but blobs, LevelDB's numbered files and the small ones that are replaced all the while. */
  async function names(): Promise<readonly string[]> {
    const all = await readdir(service.server.dir, { recursive: true })
    return all
      .filter((name) => !/(^|\/)(\d{6}\.(log|ldb)|MANIFEST-\d{6}|[0-9a-f]{32}|(witness|time)(\.tmp)?)$/.test(name))
      .sort()
  }

  for (const [key, body] of bodies) {
    it.concurrent(`${shown(key)} comes back byte for byte`, async () => {
      const path = `/keys/${strictly(key)}`
      expect((await service.ask(`GET ${path}`)).text).toBe(body)
      expect((await service.ask(`HEAD ${path}`)).headers['content-length']).toBe(String(body.length))
      const everyByte = `/keys/${[...Buffer.from(key)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')}`
      expect((await service.ask(`GET ${everyByte}`)).text).toBe(body)
      const { host } = service.server
      const { rawQuery } = presign(
        { method: 'GET', rawPath: path, headers: [['host', host]] },
        { ...service.server.credentials('root'), region: 'eu', now: Date.now(), expiresSeconds: 60 },
      )
      expect((await exchange(service.server, requestText(`GET ${path}?${rawQuery}`, [`host: ${host}`]))).text).toBe(
        body,
      )
    })
  }

  it('are all listed, once, encoded on request', async () => {
    const listing = await service.list('keys', 'encoding-type=url')
    const listed = listing
      .all('Version')
      .map((version) => decodeURIComponent((version.get('Key') ?? '').replaceAll('+', ' ')))
    const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
    expect(listed).toEqual([...keys, 'first'].sort(byBytes))
  })

  it('are escaped in XML so that they read back, except what XML cannot express', async () => {
    const answer = expectStatus(await service.ask('GET /keys?versions'), 200)
    expect(answer.xml().all('Version')).toHaveLength(keys.length + 1)
    const listed = answer
      .xml()
      .all('Version')
      .map((version) => version.get('Key'))
    for (const key of ['<&>"\'', ']]>', 'cr\rlf\nend', 'tab\there', '😀', 'e\u0301', '\u00e9', ' a', 'a ']) {
      expect(listed).toContain(key)
    }
  })

  it('stay in their bucket', async () => {
    for (const path of ['/keys/../other/b', '/keys/%2e%2e/other/b', '/keys/..%2fother%2fb', '/other/../keys/b']) {
      expect((await service.ask(`GET ${path}`)).code()).toBe('NoSuchKey')
    }
    const asAnn = await service.ask('GET /keys/../other/b', { as: 'ann' })
    expect([asAnn.status, asAnn.code()]).toEqual([403, 'AccessDenied'])
  })

  it('name no file', async () => {
    expect(await names()).toEqual(before)
  })

  it('are deleted one by one', async () => {
    for (const key of ['..', 'a/../b', '%', 'a%2Fb', '\u0000']) {
      expectStatus(await service.ask(`DELETE /keys/${strictly(key)}`), 204)
      expect((await service.ask(`GET /keys/${strictly(key)}`)).status).toBe(404)
    }
    expect((await service.list('keys')).all('Version')).toHaveLength(keys.length + 1 - 5)
    expect((await service.ask('GET /other/b')).text).toBe('in the other bucket')
  })

  it('are spelled beyond ASCII in percent-encoding, and not in bytes', async () => {
    const bytes = requestBytes(service.server, 'GET /keys/\u00c3\u00a9')
    const answer = await exchange(service.server, bytes)
    expect(refusal(answer)).toEqual([400, 'InvalidRequest'])
  })
})
