/** What a request to the control API says in a header, or in the wrong one of query and body, is understood or refused. */
import { createHash } from 'node:crypto'
import { request } from 'node:http'
import type { Store } from '@varve/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createIdentity, type RunningServer, serve, signRequest } from '../http.ts'
import { memoryStore } from '../store/memory-store.ts'

const keys = { accessKeyId: 'KEYroot', secretAccessKey: 'secret of root' }
let store: Store
let server: RunningServer

beforeAll(async () => {
  store = await memoryStore()
  await store.buckets.create('photos')
  const identities = [createIdentity({ name: 'root', ...keys, root: true })]
  server = await serve({ store, controlStore: () => store, identities, port: 0 })
})

afterAll(async () => {
  await server.close()
  await store.close()
})

type Fields = Readonly<Record<string, string>>

interface Sent {
  readonly headers?: Fields
  readonly body?: string
  readonly payload?: string
}

function send(method: string, path: string, { headers: more = {}, body = '', payload }: Sent = {}) {
  const { port } = new URL(server.url)
  const [rawPath = '', rawQuery = ''] = path.split('?')
  const headers = [['host', `127.0.0.1:${port}`] as const, ...Object.entries(more)]
  const payloadHash = payload ?? createHash('sha256').update(body).digest('hex')
  const signing = { ...keys, region: 'us-east-1', now: Date.now(), payloadHash }
  const signed = signRequest({ method, rawPath, rawQuery, headers }, signing)
  return new Promise<{ readonly status: number | undefined; readonly code: string | undefined }>((resolve, reject) => {
    const all = { ...Object.fromEntries(signed.headers), ...(body !== '' && { 'content-length': String(body.length) }) }
    const sent = request({ port, host: '127.0.0.1', method, path, headers: all }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('close', () => {
        const code = /"error":\{"code":"(\w+)"/.exec(text)?.[1]
        resolve({ status: response.statusCode, code })
      })
    })
    sent.on('error', reject).end(body)
  })
}

const place = (key: string) => `bucket=photos&key=${key}`
const refused = { status: 501, code: 'NotImplemented' }
const md5 = (text: string) => createHash('md5').update(text).digest('base64')

const conditions: readonly Fields[] = [
  { 'if-match': '"0"' },
  { 'if-none-match': '*' },
  { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' },
  { 'if-modified-since': 'Mon, 01 Jan 2035 00:00:00 GMT' },
  { 'content-range': 'bytes 0-1/5' },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'identity, br' },
]
const ours: readonly Fields[] = [
  { 'x-amz-object-lock-legal-hold': 'ON' },
  { 'x-amz-meta-a': 'b' },
  { 'x-amz-acl': 'private' },
  { 'x-amz-expected-bucket-owner': 'someone' },
  { 'x-svc-tagging': 'a=b' },
  { 'x-amz-foo': '1' },
  { 'x-varve-at': '1' },
  { 'x-varve-receipt': 'true' },
  { 'x-varve-foo': '1' },
]

describe('a header of S3 or a condition of HTTP', () => {
  it.each([...conditions, ...ours])('is refused with a write, which does nothing: %j', async (headers) => {
    await store.objects.put('photos', 'kept', 'as it was')
    const before = await store.objects.head('photos', 'kept')
    const json = { ...headers, 'content-type': 'application/json' }
    const copy = JSON.stringify({ bucket: 'photos', key: 'kept', source: { bucket: 'photos', key: 'kept' } })
    const answers = await Promise.all([
      send('PUT', `/-/v1/content?${place('kept')}`, { headers, body: 'hello' }),
      send('DELETE', `/-/v1/object?${place('kept')}`, { headers }),
      send('POST', '/-/v1/copy', { headers: json, body: copy }),
    ])
    expect(answers).toEqual([refused, refused, refused])
    expect(await store.objects.head('photos', 'kept')).toEqual(before)
  })

  it.each(ours)('is refused with a read if it is of S3 or of Varve: %j', async (headers) => {
    expect(await send('GET', '/-/v1/objects?bucket=photos', { headers })).toEqual(refused)
  })

  it.each(conditions)('is passed over by a read, as HTTP permits: %j', async (headers) => {
    expect(await send('GET', '/-/v1/objects?bucket=photos', { headers })).toMatchObject({ status: 200 })
  })
})

describe('a checksum', () => {
  const trailer = (value: string) => ({
    headers: { 'x-amz-trailer': 'x-amz-checksum-crc32', 'x-amz-decoded-content-length': '5' },
    body: `5\r\nhello\r\n0\r\nx-amz-checksum-crc32:${value}\r\n\r\n`,
    payload: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
  })
  const header = (value: string) => ({ headers: { 'x-amz-checksum-crc32': value }, body: 'hello' })
  it.each<[string, Sent, string | undefined]>([
    ['in a header', header('NhCmhg=='), undefined],
    ['in a trailer', trailer('NhCmhg=='), undefined],
    ['of other bytes in a header', header('AAAAAA=='), 'BadDigest'],
    ['of other bytes in a trailer', trailer('AAAAAA=='), 'BadDigest'],
    ['of other bytes in Content-MD5', { headers: { 'content-md5': md5('other') }, body: 'hello' }, 'BadDigest'],
  ])('of a body that is stored as it arrives is compared: %s', async (how, sent, code) => {
    const key = how.replaceAll(' ', '-')
    expect(await send('PUT', `/-/v1/content?${place(key)}`, sent)).toEqual({ status: code ? 400 : 200, code })
    const found = await store.objects.head('photos', key).catch(() => undefined)
    expect(found === undefined).toBe(code !== undefined)
  })

  it('does not make a coding of the framed bytes known', async () => {
    const { headers, ...sent } = trailer('NhCmhg==')
    for (const coding of ['aws-chunked,gzip', 'gzip, aws-chunked']) {
      const all = { ...headers, 'content-encoding': coding }
      expect(await send('PUT', `/-/v1/content?${place('coded')}`, { ...sent, headers: all })).toEqual(refused)
    }
  })
})

describe('an argument in the wrong place', () => {
  it('is refused in the body of a request that has its arguments in the query', async () => {
    await store.objects.put('photos', 'kept', 'as it was')
    const sent = await send('DELETE', `/-/v1/object?${place('kept')}`, { body: '{"ifMatch":"0"}' })
    expect(sent).toEqual({ status: 400, code: 'InvalidRequest' })
    expect(await store.objects.head('photos', 'kept')).toMatchObject({ size: 9 })
  })

  it('is refused in the query of a request that has its arguments in the body', async () => {
    const body = JSON.stringify({ bucket: 'photos', status: 'Enabled' })
    const sent = await send('PUT', '/-/v1/versioning?bucket=other', { body })
    expect(sent).toEqual({ status: 400, code: 'InvalidArgument' })
  })
})
