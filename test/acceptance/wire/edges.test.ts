/** Names that are words of JavaScript, headers that would break out, ranges, patterns, and what an error may say. */
import { readFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { presign } from 'varve/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completionBody, expectStatus, openDoor, refusal, type Door } from '../support/door.ts'
import { exchange, requestBytes, requestText } from '../support/wire.ts'

const words = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf']

describe('edges', () => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor()
    await door.ask('PUT /edges')
    await door.put('/edges/ten', '0123456789')
    await door.put('/edges/empty', '')
  })
  afterAll(() => door.stop())

  it.each(words)('%s is a key, a metadata name, a prefix, a delimiter like any other', async (word) => {
    const headers = { [`x-amz-meta-${word}`]: word, 'x-amz-meta-other': 'other' }
    expectStatus(await door.ask(`PUT /edges/words/${word}`, { headers, body: word }), 200)
    const answer = await door.ask(`GET /edges/words/${word}`)
    expect([answer.text, answer.headers['x-amz-meta-other']]).toEqual([word, 'other'])
    expect(Object.entries(answer.headers)).toContainEqual([`x-amz-meta-${word.toLowerCase()}`, word])
    const listing = await door.list('edges', `prefix=words/${word}&delimiter=${word}`)
    expect(listing.all('CommonPrefixes').length + listing.all('Version').length).toBe(1)
    expect(
      refusal(
        await door.ask(`POST /edges/a?uploadId=${word}`, { body: completionBody([{ PartNumber: 1, ETag: 'x' }]) }),
      ),
    ).toEqual([404, 'NoSuchUpload'])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it.each(words)('%s in XML is an element nobody asked for', async (word) => {
    const name = word === '__proto__' ? 'proto' : word
    for (const body of [
      `<VersioningConfiguration><${word}>x</${word}></VersioningConfiguration>`,
      `<VersioningConfiguration ${word}="x"><Status>Enabled</Status></VersioningConfiguration>`,
      `<${word}><Status>Enabled</Status></${word}>`,
    ]) {
      expect(refusal(await door.ask('PUT /edges?versioning', { body })), name).toEqual([400, 'MalformedXML'])
    }
    expect((await door.ask('GET /edges?versioning')).xml().children).toEqual([])
  })

  const entity = '<!DOCTYPE x [<!ENTITY e "Enabled">]>'
  const bomb = `<!DOCTYPE x [${Array.from({ length: 10 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`).join('')}]>`
  const status = (text: string) => `<VersioningConfiguration><Status>${text}</Status></VersioningConfiguration>`
  it.each([
    ['an entity', entity + status('&e;')],
    ['a billion laughs', bomb + status('&e10;')],
    ['an external entity', `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${status('&e;')}`],
    ['a parameter entity', `<!DOCTYPE x [<!ENTITY % p SYSTEM "http://127.0.0.1:1/x">%p;]>${status('Enabled')}`],
    ['an external DTD', `<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd">${status('Enabled')}`],
    ['an undefined entity', status('&nbsp;')],
    ['a reference to NUL', status('&#0;')],
    ['a reference to half a pair', status('&#xD800;')],
    ['20,000 elements in one another', '<a>'.repeat(20_000)],
    ['a name of 50 KB', `<${'a'.repeat(50_000)}/>`],
    ['an attribute of 50 KB', `<VersioningConfiguration a="${'x'.repeat(50_000)}"/>`],
    ['two roots', status('Enabled').repeat(2)],
    ['text after the root', `${status('Enabled')}x`],
    ['bytes that are not UTF-8', Buffer.from([0x3c, 0xff, 0xfe, 0x3e])],
    ['UTF-16', Buffer.from(`\ufeff${status('Enabled')}`, 'utf16le')],
    ['another encoding', `<?xml version="1.0" encoding="ISO-8859-1"?>${status('Enabled')}`],
  ] as const)('refuses XML with %s, at once', async (_title, body) => {
    const began = performance.now()
    expect(refusal(await door.ask('PUT /edges?versioning', { body }))).toEqual([400, 'MalformedXML'])
    expect(performance.now() - began).toBeLessThan(1000)
    expect((await door.ask('GET /edges?versioning')).xml().children).toEqual([])
  })

  it.each([
    ['100,000 elements in one another', '<a>'.repeat(100_000)],
    ['a name of 1 MB', `<${'a'.repeat(1024 ** 2)}/>`],
    ['an attribute of 1 MB', `<CompleteMultipartUpload a="${'x'.repeat(1024 ** 2)}"/>`],
    ['an ETag of 1 MB', completionBody([{ PartNumber: 1, ETag: 'x'.repeat(1024 ** 2) }])],
    ['a million references', completionBody([{ PartNumber: 1, ETag: '&amp;'.repeat(700_000) }])],
  ])('refuses a completion with %s, at once', async (_title, body) => {
    const { uploadId } = await door.upload('/edges/xml', { 1: 'x' })
    const began = performance.now()
    const answer = await door.ask(`POST /edges/xml?uploadId=${uploadId}`, { body, payloadHash: 'UNSIGNED-PAYLOAD' })
    expect(refusal(answer)).toEqual([400, 'MalformedXML'])
    expect(performance.now() - began).toBeLessThan(2000)
  })

  it('refuses XML cut off anywhere', async () => {
    const body = `<?xml version="1.0"?>${status('Enabled')}`
    const answers = await Promise.all(
      Array.from({ length: body.length - 1 }, (_, i) =>
        door.ask('PUT /edges?versioning', { body: body.slice(0, i + 1) }),
      ),
    )
    expect(new Set(answers.map((answer) => String(refusal(answer))))).toEqual(new Set(['400,MalformedXML']))
  })

  it.each([
    ['response-content-disposition', '%0d%0aSet-Cookie:x'],
    ['response-content-type', 'a%00b'],
    ['response-cache-control', '%E2%98%83'],
    ['response-expires', '%0a'],
  ])('%s=%s breaks out of nothing', async (name, value) => {
    const answer = await door.ask(`GET /edges/ten?${name}=${value}`)
    expect(refusal(answer)).toEqual([400, 'InvalidArgument'])
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  it('gives metadata beyond ASCII back in words that headers can carry', async () => {
    const bytes = (text: string) => Buffer.from(text, 'utf8').toString('latin1')
    const headers = { 'x-amz-meta-snowman': bytes('\u2603'), 'x-amz-meta-plain': 'plain' }
    expect(
      (
        await exchange(
          door.server,
          requestBytes(door.server, 'PUT /edges/snow', { headers, extra: ['content-length: 0'] }),
          'PUT',
        )
      ).status,
    ).toBe(200)
    const answer = await door.ask('HEAD /edges/snow')
    expect(answer.headers['x-amz-meta-plain']).toBe('plain')
    const [, base64 = ''] = /^=\?utf-8\?b\?(.*)\?=$/i.exec(answer.headers['x-amz-meta-snowman'] ?? '') ?? []
    expect(Buffer.from(base64, 'base64').toString('utf8')).toBe('\u2603')
  })

  it('overrides response headers on signed requests only', async () => {
    const line = 'GET /edges/ten?response-content-type=text/x-test'
    expect((await door.ask(line)).headers['content-type']).toBe('text/x-test')
    expect((await door.ask(line, { as: 'nobody' })).status).toBe(403)
  })

  it.each([
    ['bytes=0-0', 206, '0'],
    ['bytes=0-8', 206, '012345678'],
    ['bytes=1-', 206, '123456789'],
    ['bytes=-2', 206, '89'],
    ['bytes=-15', 206, '0123456789'],
    ['bytes=0-100', 206, '0123456789'],
    ['bytes=0-99999999999999999999', 206, '0123456789'],
    ['bytes=-99999999999999999999', 206, '0123456789'],
    ['bytes=1-0', 200, '0123456789'],
    ['bytes=5-2', 200, '0123456789'],
    ['bytes=-1-', 200, '0123456789'],
    ['bytes=0--1', 200, '0123456789'],
    ['bytes=0-1,3-4', 200, '0123456789'],
    [`bytes=${Array.from({ length: 1000 }, (_, i) => `${i}-${i}`).join(',')}`, 200, '0123456789'],
    ['bytes=-', 200, '0123456789'],
    ['garbage', 200, '0123456789'],
    ['items=0-1', 200, '0123456789'],
    ['bytes=-0', 416, undefined],
    ['bytes=100-200', 416, undefined],
    ['bytes=10-', 416, undefined],
    ['bytes=99999999999999999999-', 416, undefined],
  ])('range %s: %s', async (range, status, text) => {
    const answer = await door.ask('GET /edges/ten', { headers: { range } })
    if (text === undefined) expect(refusal(answer)).toEqual([416, 'InvalidRange'])
    else {
      expect([answer.status, answer.text]).toEqual([status, text])
      expect(answer.headers['content-range'] === undefined).toBe(status === 200)
    }
  })

  it('has no range in an empty object, and says a missing key before a missing range', async () => {
    const headers = { range: 'bytes=0-0' }
    expect(refusal(await door.ask('GET /edges/empty', { headers }))).toEqual([416, 'InvalidRange'])
    expect(refusal(await door.ask('GET /edges/none', { headers }))).toEqual([404, 'NoSuchKey'])
  })

  it.each(['.*', '(a+)+$', '[', '\\', '$&', '^', '%', '*'])(
    '%s in a prefix, delimiter or marker means itself',
    async (text) => {
      const encoded = encodeURIComponent(text)
      await door.put(`/edges/pattern/${encoded}/x`)
      const prefixed = await door.list('edges', `prefix=pattern/${encoded}/`)
      expect(prefixed.all('Version').map((version) => version.get('Key'))).toEqual([`pattern/${text}/x`])
      const delimited = await door.list('edges', `prefix=pattern/&delimiter=${encoded}&key-marker=pattern/${encoded}`)
      expect(delimited.all('CommonPrefixes').map((prefix) => prefix.get('Prefix'))).toContain(`pattern/${text}`)
    },
  )

  it('acts on the upload, the version and the source it authorised', async () => {
    const upload = await door.upload('/edges/mine', { 1: 'mine' })
    const body = completionBody([{ PartNumber: 1, ETag: upload.etags.get(1) ?? '' }])
    await door.ask('PUT /anns', { as: 'ann' })
    for (const line of [`POST /anns/mine?uploadId=${upload.uploadId}`, `POST /anns/x?uploadId=${upload.uploadId}`]) {
      expect(refusal(await door.ask(line, { as: 'ann', body }))).toEqual([404, 'NoSuchUpload'])
    }
    for (const source of [
      '/edges/ten',
      'edges/ten',
      '/anns/../edges/ten',
      '%2Fedges%2Ften',
      '/anns/%2e%2e/edges/ten',
    ]) {
      const answer = await door.ask('PUT /anns/stolen', { as: 'ann', headers: { 'x-amz-copy-source': source } })
      expect([403, 404, 400], source).toContain(answer.status)
    }
    expect((await door.ask('GET /anns?versions', { as: 'ann' })).xml().all('Version')).toEqual([])
    const versioned = await door.bucket({ versioning: 'Enabled' })
    const { versionId } = await door.put(`/${versioned}/one`)
    expect((await door.ask(`GET /${versioned}/two?versionId=${versionId}`)).status).toBe(404)
    expect((await door.ask(`GET /edges/ten?versionId=${versionId}`)).status).toBeGreaterThanOrEqual(400)
  })

  it('does not take a subresource it does not have for the object itself', async () => {
    for (const line of [
      'DELETE /edges/ten?tagging',
      'PUT /edges/ten?tagging',
      'PUT /edges/ten?acl',
      'DELETE /edges?policy',
      'DELETE /edges?lifecycle',
      'PUT /edges?tagging',
      'DELETE /edges/ten?some-day',
      'PUT /edges/ten?retention',
    ]) {
      expect(refusal(await door.ask(line)), line).toEqual([501, 'NotImplemented'])
    }
    expect((await door.ask('GET /edges/ten')).text).toBe('0123456789')
  })

  it('says in errors no path, stack or secret', async () => {
    const texts = [(await door.ask('GET /edges/%zz', { as: 'nobody' })).text]
    for (const line of ['GET /edges/none', 'GET /none-such/x', 'PUT /Edges', 'POST /edges/a?uploadId=x']) {
      texts.push((await door.ask(line)).text)
    }
    texts.push((await exchange(door.server, requestBytes(door.server, 'GET /edges', { as: 'bob' }))).text)
    for (const text of texts) {
      expect(text).toContain('<Error>')
      expect(text).not.toContain(door.server.dir)
      expect(text).not.toMatch(/the-secret-of|node_modules|\.ts:|\bat [A-Za-z.]+ \(/)
    }
  })

  it('keeps no secret and no signature in its directory, and that to itself', async () => {
    const { host } = door.server
    const { rawQuery, signature } = presign(
      { method: 'PUT', rawPath: '/edges/presigned', headers: [['host', host]] },
      { ...door.server.credentials('root'), region: 'eu', now: Date.now(), expiresSeconds: 60 },
    )
    const bytes = requestText(`PUT /edges/presigned?${rawQuery}`, [`host: ${host}`, 'content-length: 1'], 'x')
    expect((await exchange(door.server, bytes, 'PUT')).status).toBe(200)
    let read = 0
    for (const name of ['.', ...(await readdir(door.server.dir, { recursive: true }))]) {
      const found = await stat(join(door.server.dir, name)).catch(unlessGone)
      if (found === undefined) continue
      if (found.isDirectory()) {
        expect([name, found.mode & 0o077]).toEqual([name, 0])
        continue
      }
      const content = await readFile(join(door.server.dir, name)).catch(unlessGone)
      if (content === undefined) continue
      read += 1
      for (const secret of ['the-secret-of', signature]) expect([name, content.includes(secret)]).toEqual([name, false])
    }
    expect(read).toBeGreaterThan(3)
  })
})

/** The server goes on writing: what was listed may have got its lasting name since. */
function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
