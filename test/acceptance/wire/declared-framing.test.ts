/**
 * `x-amz-content-sha256` alone decides whether a body is aws-chunked. A body that is announced as aws-chunked in another
 * way is refused, however it is sent: its chunks would be stored as data.
 */
import { createHmac } from 'node:crypto'
import { presign } from 'varve/http'
import type { Store } from 'varve'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer, CallOptions } from '../support/call.ts'
import { credentialsOf } from '../support/test-server.ts'
import { expectStatus, openTestService, type TestService } from '../support/test-service.ts'
import { exchange, requestBytes, requestText } from '../support/wire.ts'
import { postForm } from './ways-to-write.ts'

const framed = '3\r\nabc\r\n0\r\nx-amz-checksum-crc32:NSRBwg==\r\n\r\n'
const trailerForm = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'
type Headers = Readonly<Record<string, string>>

const announcements: readonly Headers[] = [
  { 'content-encoding': 'aws-chunked' },
  { 'content-encoding': 'AWS-Chunked' },
  { 'content-encoding': 'gzip, aws-chunked' },
  { 'content-encoding': 'aws-chunked,gzip' },
  { 'x-amz-decoded-content-length': '3' },
  { 'x-svc-decoded-content-length': '3' },
  { 'x-amz-trailer': 'x-amz-checksum-crc32' },
  { 'content-encoding': 'aws-chunked', 'x-amz-decoded-content-length': '3', 'x-amz-trailer': 'x-amz-checksum-crc32' },
]

let service: TestService
let bucket = ''
beforeAll(async () => {
  let store: Store | undefined
  service = await openTestService({
    dialect: 'aws',
    wrap: (opened) => (store = opened),
    serve: { bucketDefaults: 'open', controlStore: () => store as Store },
  })
  bucket = await service.bucket()
  const acl = { 'x-amz-acl': 'public-read-write' }
  expectStatus(await service.ask(`PUT /${bucket}?acl`, { headers: acl }), 200)
})
afterAll(() => service.stop())

const region = 'us-east-1'
const length = `content-length: ${framed.length}`
const linesOf = (headers: Headers): string[] => Object.entries(headers).map(([name, value]) => `${name}: ${value}`)

function signed(line: string, options: CallOptions): Promise<Answer> {
  return exchange(
    service.server,
    requestBytes(service.server, line, { region, ...options, body: framed, extra: [length] }),
  )
}

function unsigned(line: string, headers: Headers): Promise<Answer> {
  const lines = [`host: ${service.server.host}`, ...linesOf(headers), length]
  return exchange(service.server, requestText(line, lines, framed))
}

/** @param covered Headers that the signature of the URL covers. */
function presigned(path: string, headers: Headers, covered: Headers = {}, rawQuery = ''): Promise<Answer> {
  const all = [['host', service.server.host] as const, ...Object.entries(covered)]
  const how = { ...credentialsOf('root'), region, now: Date.now(), expiresSeconds: 60 }
  const url = presign({ method: 'PUT', rawPath: path, rawQuery, headers: all }, how)
  return unsigned(`PUT ${path}?${url.rawQuery}`, headers)
}

function presignedV2(path: string, headers: Headers): Promise<Answer> {
  const { accessKeyId, secretAccessKey } = credentialsOf('root')
  const expires = String(Math.floor(Date.now() / 1000) + 60)
  const own = Object.entries(headers).filter(([name]) => name.startsWith('x-amz-'))
  const canonical = own.map(([name, value]) => `${name}:${value}\n`).join('')
  const text = `PUT\n\n\n${expires}\n${canonical}${path}`
  const signature = createHmac('sha1', secretAccessKey).update(text).digest('base64')
  const query = `AWSAccessKeyId=${accessKeyId}&Expires=${expires}&Signature=${encodeURIComponent(signature)}`
  return unsigned(`PUT ${path}?${query}`, headers)
}

async function part(key: string, send: (query: string) => Promise<Answer>): Promise<Answer> {
  const upload = await service.upload(`/${bucket}/${key}`)
  return send(`partNumber=1&uploadId=${upload.uploadId}`)
}

type Sender = (key: string, headers: Headers) => Promise<Answer>

/** Every way to send the bytes of an object without chunks. */
const senders: Readonly<Record<string, Sender>> = {
  'a signed request': (key, headers) => signed(`PUT /${bucket}/${key}`, { headers }),
  'a request whose signature covers the body': (key, headers) =>
    signed(`PUT /${bucket}/${key}`, { headers, payloadHash: undefined as never }),
  'a signed part': (key, headers) => part(key, (query) => signed(`PUT /${bucket}/${key}?${query}`, { headers })),
  'an anonymous request': (key, headers) => unsigned(`PUT /${bucket}/${key}`, headers),
  'a presigned URL': (key, headers) => presigned(`/${bucket}/${key}`, headers),
  'a presigned URL that covers the headers': (key, headers) => presigned(`/${bucket}/${key}`, headers, headers),
  'a presigned URL with the word for an unsigned body': (key, headers) =>
    presigned(`/${bucket}/${key}`, headers, {}, 'X-Amz-Content-Sha256=UNSIGNED-PAYLOAD'),
  'a presigned part': (key, headers) => part(key, (query) => presigned(`/${bucket}/${key}`, headers, {}, query)),
}

const uncovering = new Set([
  'a presigned URL',
  'a presigned URL with the word for an unsigned body',
  'a presigned part',
])

const firstOf = (headers: Headers) => Object.keys(headers)[0]?.replace('x-svc-', 'x-amz-')
const isOfHeader = (headers: Headers, name: string) => Object.keys(headers).some((key) => key.startsWith(name))

describe('a body that is announced as aws-chunked, but not by x-amz-content-sha256', () => {
  const all = Object.keys(senders).flatMap((sender) => announcements.map((headers) => [sender, headers] as const))

  it.each(all)('is refused in %s with %j, and nothing is stored', async (sender, headers) => {
    const key = service.name()
    const answer = await senders[sender]?.(key, headers)
    // A signature must cover all headers of S3.
    const isUncovered = isOfHeader(headers, 'x-') && uncovering.has(sender)
    const [status, code] = isUncovered ? [403, 'AccessDenied'] : [400, 'InvalidArgument']
    expect([answer?.status, answer?.code()], answer?.text).toEqual([status, code])
    if (!isUncovered) expect(answer?.xml().get('ArgumentName')).toBe(firstOf(headers))
    expect((await service.ask(`HEAD /${bucket}/${key}`, { region })).status).toBe(404)
  })

  it.each(announcements.filter((headers) => !isOfHeader(headers, 'x-svc-')))(
    'is refused in a URL of version 2 with %j',
    async (headers) => {
      const key = service.name()
      const answer = await presignedV2(`/${bucket}/${key}`, headers)
      expect([answer.status, answer.code()], answer.text).toEqual([400, 'InvalidArgument'])
      expect((await service.ask(`HEAD /${bucket}/${key}`, { region })).status).toBe(404)
    },
  )

  it.each(announcements)('is refused in a request of the control API with %j', async (headers) => {
    const key = service.name()
    const answer = await signed(`PUT /-/v1/content?bucket=${bucket}&key=${key}`, { headers })
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([400, { error: { code: 'InvalidArgument' } }])
    expect((await service.ask(`HEAD /${bucket}/${key}`, { region })).status).toBe(404)
  })

  it.each([...announcements, { 'x-amz-content-sha256': trailerForm }])(
    'is refused in a form with %j',
    async (fields) => {
      const own = await service.bucket()
      expect(await postForm(service, own, fields)).toEqual({ status: 400, code: 'InvalidArgument' })
      expect((await service.ask(`HEAD /${own}/k`, { region })).status).toBe(404)
    },
  )

  it.each(announcements.filter((headers) => !isOfHeader(headers, 'x-')))(
    'is refused in the headers of a form: %j',
    async (headers) => {
      const own = await service.bucket()
      expect(await postForm(service, own, {}, headers)).toEqual({ status: 400, code: 'InvalidArgument' })
      expect((await service.ask(`HEAD /${own}/k`, { region })).status).toBe(404)
    },
  )
})

describe('a body that x-amz-content-sha256 announces as aws-chunked', () => {
  const headers = {
    'x-amz-content-sha256': trailerForm,
    'x-amz-decoded-content-length': '3',
    'x-amz-trailer': 'x-amz-checksum-crc32',
  }
  const { 'x-amz-content-sha256': word, ...rest } = headers

  const chunked: Readonly<Record<string, Sender>> = {
    'a signed request': (key, more) =>
      signed(`PUT /${bucket}/${key}`, { headers: { ...rest, ...more }, payloadHash: word }),
    'an anonymous request': (key, more) => unsigned(`PUT /${bucket}/${key}`, { ...headers, ...more }),
  }
  const refused: Readonly<Record<string, Sender>> = {
    'that covers the header': (key, more) => presigned(`/${bucket}/${key}`, { ...headers, ...more }, headers),
    'that has it in its query': (key, more) =>
      presigned(`/${bucket}/${key}`, { ...rest, ...more }, rest, `X-Amz-Content-Sha256=${word}`),
  }

  it.each(Object.keys(refused))('is refused in a presigned URL %s', async (sender) => {
    const encodings: readonly Headers[] = [{}, { 'content-encoding': 'aws-chunked' }]
    for (const more of encodings) {
      const key = service.name()
      const answer = await refused[sender]?.(key, more)
      expect([answer?.status, answer?.code()], answer?.text).toEqual([400, 'InvalidRequest'])
      expect((await service.ask(`HEAD /${bucket}/${key}`, { region })).status).toBe(404)
    }
  })

  const all = Object.keys(chunked).flatMap((sender) =>
    [
      [{}, undefined],
      [{ 'content-encoding': 'aws-chunked' }, undefined],
      [{ 'content-encoding': 'aws-chunked,gzip' }, 'gzip'],
    ].map(([more, kept]) => [sender, more as Headers, kept as string | undefined] as const),
  )

  it.each(all)('is decoded in %s with %j', async (sender, more, kept) => {
    const key = service.name()
    const answer = await chunked[sender]?.(key, more)
    expect(answer?.status, answer?.text).toBe(200)
    const stored = await service.ask(`GET /${bucket}/${key}`, { region })
    expect([stored.text, stored.headers['content-encoding']]).toEqual(['abc', kept])
  })
})
