/** The chapter on CompleteMultipartUpload: what it takes, what it refuses, and answers that begin before they are known. */
import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from 'varve'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerOf, signedHeaders, type Answer, type CallOptions } from '../support/call.ts'
import {
  completionBody,
  type TestService,
  expectStatus,
  openTestService,
  partBytesMin,
  refusal,
  type Upload,
} from '../support/test-service.ts'
import { type Sentence, sentences } from '../support/sentences.ts'

const small = async (service: TestService): Promise<Upload> =>
  service.upload(`/${await service.bucket()}/a`, { 1: 'part' })
const etagOf = (upload: Upload, part = 1): string => upload.etags.get(part) ?? ''

const refusedLists: readonly (readonly [what: string, body: (etag: string) => string, code?: string])[] = [
  ['no body', () => ''],
  ['no Part', () => '<CompleteMultipartUpload></CompleteMultipartUpload>'],
  ['an empty root', () => '<CompleteMultipartUpload/>'],
  [
    'another root',
    (etag) => completionBody([{ PartNumber: 1, ETag: etag }]).replaceAll('CompleteMultipart', 'Complete'),
  ],
  ['something else in place of Part', () => '<CompleteMultipartUpload><Piece>1</Piece></CompleteMultipartUpload>'],
  ['no XML', () => 'PartNumber=1'],
  ['an empty Part', () => '<CompleteMultipartUpload><Part></Part></CompleteMultipartUpload>'],
  [
    'a Part without PartNumber',
    (etag) => `<CompleteMultipartUpload><Part><ETag>${etag}</ETag></Part></CompleteMultipartUpload>`,
  ],
  [
    'a Part without ETag',
    () => '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber></Part></CompleteMultipartUpload>',
  ],
  ['a PartNumber that is no number', (etag) => completionBody([{ PartNumber: 'one', ETag: etag }])],
  ['a PartNumber of 0', (etag) => completionBody([{ PartNumber: 0, ETag: etag }])],
  ['a PartNumber of 10001', (etag) => completionBody([{ PartNumber: 10_001, ETag: etag }])],
]

sentences('4.7 CompleteMultipartUpload', [
  [
    'success: 200 with the XML root CompleteMultipartUploadResult holding Location, Bucket, Key, ETag',
    async (service) => {
      const bucket = await service.bucket()
      const upload = await service.upload(`/${bucket}/some/key`, { 1: 'part' })
      const answer = expectStatus(await upload.complete(), 200)
      expect(answer.headers['content-type']).toMatch(/^application\/xml\b/)
      const result = answer.xml()
      expect(result.name).toBe('CompleteMultipartUploadResult')
      expect(result.get('Location')).toMatch(/^http:\/\/.+\/some\/key$/)
      expect([result.get('Bucket'), result.get('Key')]).toEqual([bucket, 'some/key'])
      expect(result.get('ETag')).toBe((await service.ask(`HEAD /${bucket}/some/key`)).headers['etag'])
    },
  ],
  [
    'the bucket is the one where the upload was initiated: in another there is no such upload',
    async (service) => {
      const upload = await small(service)
      const body = completionBody([{ PartNumber: 1, ETag: etagOf(upload) }])
      const elsewhere = await service.ask(`POST /${await service.bucket()}/a?uploadId=${upload.uploadId}`, { body })
      expect(refusal(elsewhere)).toEqual([404, 'NoSuchUpload'])
      const otherKey = await service.ask(`POST ${upload.path}b?uploadId=${upload.uploadId}`, { body })
      expect(refusal(otherKey)).toEqual([404, 'NoSuchUpload'])
      expectStatus(await upload.complete(), 200)
    },
  ],
  [
    'ETags are those returned at part upload, with or without their quotes, escaped or not',
    async (service) => {
      for (const spell of [
        (e: string) => e,
        (e: string) => e.replaceAll('"', ''),
        (e: string) => e.replaceAll('"', '&quot;'),
      ]) {
        const upload = await small(service)
        expectStatus(await upload.complete([{ PartNumber: 1, ETag: spell(etagOf(upload)) }]), 200)
      }
    },
  ],
  [
    'a part that was never uploaded cannot be listed: InvalidPart',
    async (service) => {
      const upload = await small(service)
      const answer = await upload.complete([{ PartNumber: 2, ETag: etagOf(upload) }])
      expect(refusal(answer)).toEqual([400, 'InvalidPart'])
    },
  ],
  [
    'each ETag must match: InvalidPart',
    async (service) => {
      const bucket = await service.bucket()
      const upload = await service.upload(`/${bucket}/a`, { 1: Buffer.alloc(partBytesMin), 2: 'two' })
      const listed = [
        { PartNumber: 1, ETag: etagOf(upload, 1) },
        { PartNumber: 2, ETag: etagOf(upload, 1) },
      ]
      expect(refusal(await upload.complete(listed))).toEqual([400, 'InvalidPart'])
      expect((await service.ask(`GET /${bucket}/a`)).status).toBe(404)
    },
  ],
  [
    'a part uploaded again has the ETag of its last upload, and no other',
    async (service) => {
      const bucket = await service.bucket()
      const upload = await service.upload(`/${bucket}/a`, { 1: 'first' })
      const stale = etagOf(upload)
      await upload.part(1, 'second')
      expect(refusal(await upload.complete([{ PartNumber: 1, ETag: stale }]))).toEqual([400, 'InvalidPart'])
      expectStatus(await upload.complete(), 200)
      expect((await service.ask(`GET /${bucket}/a`)).text).toBe('second')
    },
  ],
  [
    'the list must be in ascending part-number order: InvalidPartOrder, also for a number listed twice',
    async (service) => {
      const upload = await service.upload(`/${await service.bucket()}/a`, { 1: Buffer.alloc(partBytesMin), 2: 'two' })
      const [one, two] = [1, 2].map((PartNumber) => ({ PartNumber, ETag: etagOf(upload, PartNumber) }))
      if (one === undefined || two === undefined) throw new Error('Two parts.')
      for (const listed of [
        [two, one],
        [one, one],
        [one, two, two],
      ]) {
        expect(refusal(await upload.complete(listed))).toEqual([400, 'InvalidPartOrder'])
      }
    },
  ],
  [
    'part numbers need not follow on one another, and are compared as numbers',
    async (service) => {
      const bucket = await service.bucket()
      const upload = await service.upload(`/${bucket}/a`, { 9: Buffer.alloc(partBytesMin, '9'), 10: 'ten' })
      expectStatus(await upload.complete(), 200)
      const { headers, body } = await service.ask(`GET /${bucket}/a`)
      expect(headers['content-length']).toBe(String(partBytesMin + 3))
      expect([body.subarray(0, 1).toString(), body.subarray(-3).toString()]).toEqual(['9', 'ten'])
    },
  ],
  ...refusedLists.map(
    ([what, body]): Sentence => [
      `an absent or invalid Part list gives a 400: ${what}`,
      async (service) => {
        const upload = await small(service)
        const answer = await upload.complete([], { body: body(etagOf(upload)) })
        expect(refusal(answer)[0]).toBe(400)
        expectStatus(await upload.complete(), 200)
      },
    ],
  ),
  ...[
    'application/x-www-form-urlencoded',
    'application/x-www-form-urlencoded; charset=utf-8',
    'Application/X-WWW-Form-URLencoded',
  ].map(
    (type): Sentence => [
      `the content type ${type} must not be used`,
      async (service) => {
        const upload = await small(service)
        const answer = await upload.complete(undefined, { headers: { 'content-type': type } })
        expect(refusal(answer)[0]).toBe(400)
        expect((await service.ask(`HEAD ${upload.path}`)).status).toBe(404)
        expectStatus(await upload.complete(), 200)
      },
    ],
  ),
  ...['', 'application/xml', 'text/xml; charset=utf-8', 'application/octet-stream'].map(
    (type): Sentence => [
      type === '' ? 'a missing content type can still yield 200' : `the content type ${type} can be used`,
      async (service) => {
        const upload = await small(service)
        expectStatus(await upload.complete(undefined, type === '' ? {} : { headers: { 'content-type': type } }), 200)
      },
    ],
  ),
  [
    'of several completions of one upload at once, one makes the object',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const upload = await service.upload(`/${bucket}/a`, { 1: 'part' })
      const answers = await Promise.all(Array.from({ length: 6 }, () => upload.complete()))
      expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 404, 404, 404, 404, 404])
      expect((await service.list(bucket)).all('Version')).toHaveLength(1)
    },
  ],
])

/** An answer as it comes in: what was there when its head was, and the pieces after. */
interface Unfolding {
  readonly status: number
  /** Resolves with the body so far when it has as many bytes. */
  readonly sofar: (bytes: number) => Promise<string>
  readonly whole: Promise<Answer>
}

describe('4.7 CompleteMultipartUpload, early 200', () => {
  /** Completions wait here until they are let go. */
  const gate: { open: () => void; closed: Promise<void>; failure?: Error } = {
    open: () => undefined,
    closed: Promise.resolve(),
  }
  const close = () => {
    delete gate.failure
    gate.closed = new Promise((resolve) => {
      gate.open = resolve
    })
  }

  let service: TestService
  beforeAll(async () => {
    service = await openTestService({
      policies: {
        reader: [{ Effect: 'Allow', Action: 's3:GetObject', Resource: '*' }],
      },
      serve: { keepAliveAfterMs: 30, keepAliveEveryMs: 20 },
      wrap: (store) => slowToComplete(store, gate),
    })
  })
  afterAll(() => service.stop())

  async function begin(upload: Upload, options: CallOptions = {}): Promise<Unfolding> {
    const body = options.body ?? completionBody([{ PartNumber: 1, ETag: etagOf(upload) }])
    const line = `POST ${upload.path}?uploadId=${upload.uploadId}`
    const headers = signedHeaders(service.server, line, { ...options, body })
    return unfold(service.server.port, line, headers, body)
  }

  it('4.7.e1 sends the 200 status line early, and white space from time to time to keep the connection open', async () => {
    const upload = await small(service)
    close()
    const { status, sofar, whole } = await begin(upload)
    expect(status).toBe(200)
    const waiting = await sofar('<?xml version="1.0" encoding="UTF-8"?>'.length + 4)
    expect(waiting).toMatch(/^<\?xml [^>]*\?>\s{4,}$/)
    expect((await service.ask(`HEAD ${upload.path}`)).status).toBe(404)
    gate.open()
    const answer = await whole
    expect(answer.xml().name).toBe('CompleteMultipartUploadResult')
    expect(answer.xml().get('ETag')).toBe((await service.ask(`HEAD ${upload.path}`)).headers['etag'])
    expect(answer.headers['content-length']).toBeUndefined()
    expect(answer.headers['x-request-id']).toMatch(/\S/)
  })

  it('4.7.e2 has an Error element instead of a result when it fails after the 200', async () => {
    const upload = await small(service)
    close()
    const { status, whole } = await begin(upload, { body: completionBody([{ PartNumber: 2, ETag: 'x' }]) })
    expect(status).toBe(200)
    gate.open()
    const answer = await whole
    expect(answer.text).toMatch(/^<\?xml /)
    expect(answer.xml().name).toBe('Error')
    expect(answer.code()).toBe('InvalidPart')
    expect(answer.xml().get('Message')).toMatch(/\S/)
    expect(answer.xml().get('RequestId')).toBe(answer.headers['x-request-id'])
  })

  it('4.7.e3 has InternalError in the body of a 200 when processing fails, and a retry succeeds', async () => {
    const upload = await small(service)
    close()
    const { status, whole } = await begin(upload)
    expect(status).toBe(200)
    gate.failure = new Error('the disk at /var/lib/secret is on fire')
    gate.open()
    const answer = await whole
    expect(answer.code()).toBe('InternalError')
    expect(answer.text).not.toContain('fire')
    expect((await service.ask(`HEAD ${upload.path}`)).status).toBe(404)
    delete gate.failure
    expectStatus(await upload.complete(), 200)
  })

  it('4.7.e4 answers AccessDenied and everything it can know at once before any status is sent', async () => {
    const upload = await small(service)
    close()
    const denied = await upload.complete(undefined, { as: 'reader' })
    expect(refusal(denied)).toEqual([403, 'AccessDenied'])
    const empty = await upload.complete([], {})
    expect(refusal(empty)[0]).toBe(400)
    gate.open()
  })

  it('4.7.e5 leaves the connection usable after an early 200', async () => {
    const upload = await small(service)
    close()
    const { whole } = await begin(upload)
    await delay(80)
    gate.open()
    expect((await whole).headers['connection']).not.toBe('close')
  })
})

/** The store, with completions that wait for the gate and then fail if the gate has a failure. */
function slowToComplete(store: Store, gate: { readonly closed: Promise<void>; readonly failure?: Error }): Store {
  const slow = (inner: Store): Store => {
    const complete: Store['uploads']['complete'] = async (...requested) => {
      await gate.closed
      if (gate.failure !== undefined) throw gate.failure
      return inner.uploads.complete(...requested)
    }
    const uploads = { ...inner.uploads, complete }
    const as: Store['as'] = (context) => slow(inner.as(context))
    const tracking: Store['tracking'] = (into) => inner.tracking(into)
    const own: Record<PropertyKey, unknown> = { uploads, as, tracking }
    return new Proxy(inner, { get: (target, name) => own[name] ?? Reflect.get(target, name, target) })
  }
  return slow(store)
}

function unfold(
  port: number,
  line: string,
  headers: readonly (readonly [string, string])[],
  body: string | Uint8Array,
): Promise<Unfolding> {
  const [method = '', path = ''] = line.split(' ')
  return new Promise((resolve, reject) => {
    const requested = request({ host: '127.0.0.1', port, method, path })
    for (const [name, value] of headers) requested.setHeader(name, value)
    requested.setHeader('content-length', Buffer.byteLength(body))
    requested.on('error', reject).on('response', (response) => {
      let text = ''
      const status = response.statusCode ?? 0
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      const whole = new Promise<Answer>((done, fail) => {
        response.on('error', fail).on('end', () => done(answerOf(status, response.headers, Buffer.from(text))))
      })
      const sofar = async (bytes: number) => {
        while (text.length < bytes && !response.complete) await delay(5)
        return text
      }
      resolve({ status, sofar, whole })
    })
    requested.end(body)
  })
}
