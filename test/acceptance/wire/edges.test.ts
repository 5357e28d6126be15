/** Names that are words of JavaScript, patterns, and what is authorised being what is acted on. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completionBody, expectStatus, openTestService, refusal, type TestService } from '../support/test-service.ts'
import { sha256 } from '../support/call.ts'

const words = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf']

describe('edges', () => {
  let service: TestService
  beforeAll(async () => {
    service = await openTestService()
    await service.ask('PUT /edges')
    await service.put('/edges/ten', '0123456789')
    await service.put('/edges/empty', '')
  })
  afterAll(() => service.stop())

  it.each(words)('%s is a key, a metadata name, a prefix, a delimiter like any other', async (word) => {
    const headers = { [`x-amz-meta-${word}`]: word, 'x-amz-meta-other': 'other' }
    expectStatus(await service.ask(`PUT /edges/words/${word}`, { headers, body: word }), 200)
    const answer = await service.ask(`GET /edges/words/${word}`)
    expect([answer.text, answer.headers['x-amz-meta-other']]).toEqual([word, 'other'])
    expect(Object.entries(answer.headers)).toContainEqual([`x-amz-meta-${word.toLowerCase()}`, word])
    const listing = await service.list('edges', `prefix=words/${word}&delimiter=${word}`)
    expect(listing.all('CommonPrefixes').length + listing.all('Version').length).toBe(1)
    expect(
      refusal(
        await service.ask(`POST /edges/a?uploadId=${word}`, { body: completionBody([{ PartNumber: 1, ETag: 'x' }]) }),
      ),
    ).toEqual([404, 'NoSuchUpload'])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('has no range in an empty object, and reports a missing key before a missing range', async () => {
    const headers = { range: 'bytes=0-0' }
    expect(refusal(await service.ask('GET /edges/empty', { headers }))).toEqual([416, 'InvalidRange'])
    expect(refusal(await service.ask('GET /edges/none', { headers }))).toEqual([404, 'NoSuchKey'])
  })

  it.each(['.*', '(a+)+$', '[', '\\', '$&', '^', '%', '*'])(
    '%s in a prefix, delimiter or marker means itself',
    async (text) => {
      const encoded = encodeURIComponent(text)
      await service.put(`/edges/pattern/${encoded}/x`)
      const prefixed = await service.list('edges', `prefix=pattern/${encoded}/`)
      expect(prefixed.all('Version').map((version) => version.get('Key'))).toEqual([`pattern/${text}/x`])
      const delimited = await service.list(
        'edges',
        `prefix=pattern/&delimiter=${encoded}&key-marker=pattern/${encoded}`,
      )
      expect(delimited.all('CommonPrefixes').map((prefix) => prefix.get('Prefix'))).toContain(`pattern/${text}`)
    },
  )

  it('takes no version of another key for one of this', async () => {
    const versioned = await service.bucket({ versioning: 'Enabled' })
    const { versionId } = await service.put(`/${versioned}/one`)
    expect((await service.ask(`GET /${versioned}/two?versionId=${versionId}`)).status).toBe(404)
    expect((await service.ask(`GET /edges/ten?versionId=${versionId}`)).status).toBeGreaterThanOrEqual(400)
  })

  it.each([10, 100_000])('stores nothing of %d bytes that are not those that were signed', async (size) => {
    const bucket = await service.bucket()
    const [signed, sent] = [Buffer.alloc(size, 'signed'), Buffer.alloc(size, 'forged')]
    const upload = await service.upload(`/${bucket}/parts`)
    for (const line of [`PUT /${bucket}/k`, `PUT ${upload.path}?uploadId=${upload.uploadId}&partNumber=1`]) {
      // A wrong MD5 as well: what was signed comes first.
      const options = { payloadHash: sha256(signed), headers: { 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==' } }
      const answer = await service.ask(line, { ...options, body: sent })
      expect(refusal(answer)).toEqual([400, 'XAmzContentSHA256Mismatch'])
      expect(answer.text).toContain(`<ClientComputedContentSHA256>${sha256(signed)}</ClientComputedContentSHA256>`)
      expect(answer.text).toContain(`<S3ComputedContentSHA256>${sha256(sent)}</S3ComputedContentSHA256>`)
    }
    expect(refusal(await service.ask(`GET /${bucket}/k`))).toEqual([404, 'NoSuchKey'])
  })
})
