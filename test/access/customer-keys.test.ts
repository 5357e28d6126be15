/** Keys that clients bring are in no answer and in no line of a log, whatever goes wrong with the request that brings them. */
import { createHash } from 'node:crypto'
import { presign } from 'varve/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sign, type CallOptions } from '../acceptance/support/call.ts'
import { exchange, requestText } from '../acceptance/support/wire.ts'
import { openScene, type Scene } from '../hostile/scene.ts'

/** With characters that a URL writes in another way. */
const bytes = Buffer.from(`a key+of/a ~customer? ${'\xff'.repeat(10)}`, 'latin1')
const key = bytes.toString('base64')
const md5 = createHash('md5').update(bytes).digest('base64')
const own = (vendor = 'x-amz-', prefix = '') => ({
  [`${vendor}${prefix}server-side-encryption-customer-algorithm`]: 'AES256',
  [`${vendor}${prefix}server-side-encryption-customer-key`]: key,
  [`${vendor}${prefix}server-side-encryption-customer-key-md5`]: md5,
})
const spellings = [
  key,
  encodeURIComponent(key),
  encodeURIComponent(key).toLowerCase(),
  Buffer.from(key).toString('hex'),
]

describe('a key of a client', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene()
    expect(bytes.length).toBe(32)
    expect(key).toMatch(/[+/]/)
  })
  afterAll(() => scene.stop())

  const hidden = (text: string): void => {
    for (const spelling of spellings) {
      expect(text.toLowerCase()).not.toContain(spelling.toLowerCase())
      expect(scene.log.filter((line) => line.includes(spelling))).toEqual([])
    }
  }
  const copied = { 'x-amz-copy-source': '/hostile/object' }

  it.each<[string, CallOptions['headers'], number]>([
    ['of the object', own(), 403],
    ['in the other spelling', own('x-svc-'), 403],
    ['of the source of a copy', { ...copied, ...own('x-amz-', 'copy-source-') }, 403],
    ['of both', { ...copied, ...own(), ...own('x-amz-', 'copy-source-') }, 403],
  ])('%s is not revealed when the signature does not match', async (_, headers, status) => {
    const { headers: signed } = sign(scene.server, 'PUT /hostile/k', { headers })
    const lines = [...signed.map(([name, value]) => `${name}: ${value}`), 'content-length: 0']
    const answer = await exchange(scene.server, requestText('PUT /hostile/other', lines), 'PUT')
    expect([answer.status, answer.code()]).toEqual([status, 'SignatureDoesNotMatch'])
    expect(answer.text).toMatch(/customer-key:…/)
    hidden(answer.text)
  })

  it.each<[string, Readonly<Record<string, string>>]>([
    ['its own algorithm', { ...own(), 'x-amz-server-side-encryption-customer-algorithm': key }],
    ['a mode', { ...own(), 'x-amz-server-side-encryption': key }],
    ['tags', { ...own(), 'x-amz-tagging': `${key}&${key}` }],
    ['a list', { ...own(), 'x-amz-acl': key }],
    ['a grant', { ...own(), 'x-amz-grant-read': `id="${key}"` }],
    ['a source', { ...own('x-amz-', 'copy-source-'), 'x-amz-copy-source': key }],
    ['a lock', { ...own(), 'x-amz-object-lock-legal-hold': key }],
  ])('is not revealed by an error that quotes it in place of %s', async (_, headers) => {
    const answer = await scene.service.ask('PUT /hostile/k', { headers, body: 'x' })
    expect(answer.status).toBe(400)
    hidden(answer.text)
  })

  it('is not revealed when it is in a URL', async () => {
    const { server } = scene
    const query = Object.entries(own())
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&')
    const request = {
      method: 'GET',
      rawPath: '/hostile/object',
      rawQuery: query,
      headers: [['host', server.host]],
    } as const
    const { rawQuery } = presign(request, {
      ...server.credentials('root'),
      region: 'eu',
      now: Date.now(),
      expiresSeconds: 60,
    })
    for (const line of [
      `GET /hostile/secret?${rawQuery}`,
      `GET /hostile/object?${rawQuery}&versionId=${encodeURIComponent(key)}`,
    ]) {
      const answer = await exchange(server, requestText(line, [`host: ${server.host}`]))
      expect(answer.status).toBe(403)
      expect(answer.text).toContain('customer-key=…')
      hidden(answer.text)
    }
    const anonymous = await exchange(
      server,
      requestText(`PUT /hostile/k?${query}`, [`host: ${server.host}`, 'content-length: 0']),
      'PUT',
    )
    expect(anonymous.status).toBe(403)
    hidden(anonymous.text)
  })

  it('is not revealed when it is in a form, or in the policy of one', async () => {
    const name = 'x-amz-server-side-encryption-customer-key'
    const policyOf = (value: string) =>
      Buffer.from(
        JSON.stringify({ expiration: '2100-01-01T00:00:00Z', conditions: [['eq', `$${name}`, value]] }),
      ).toString('base64')
    const form = async (fields: Readonly<Record<string, string>>) => {
      const parts = Object.entries({ key: 'k', ...fields, file: 'x' }).map(
        ([field, value]) => `--cut\r\ncontent-disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
      )
      const headers = { 'content-type': 'multipart/form-data; boundary=cut' }
      return scene.service.ask('POST /hostile', { as: 'nobody', headers, body: `${parts.join('')}--cut--\r\n` })
    }
    const { accessKeyId } = scene.server.credentials('root')
    const policy = policyOf(key)
    const answers = [
      await form({ ...own(), AWSAccessKeyId: accessKeyId, signature: 'none', policy }),
      await form({ ...own(), 'x-amz-tagging': `${key}&${key}` }),
      await form({ ...own(), acl: key }),
    ]
    for (const answer of answers) {
      expect(answer.status).toBeGreaterThanOrEqual(400)
      hidden(answer.text)
      expect(answer.text).not.toContain(policy)
    }
  })
})
