/** Forms through the whole server: what is stored, what is answered, and what is refused in which words. */

import { describe, expect, it } from 'vitest'
import { bucketOf, fakeStore } from '../fake-store.fixture.ts'
import type { Answer } from '../contract/answer.ts'
import { runRequest } from '../pipeline/pipeline.ts'
import type { WireRequest } from '../contract/wire-request.ts'
import type { ServiceOptions } from '../pipeline/service-options.ts'
import { noon, serviceWith, signedHeaders } from '../signed-request.fixture.ts'
import { boundary, formOf, inPieces, signedV2, signedV4 } from './form.fixture.ts'
import type { Field } from './form.fixture.ts'

const policy = (...more: readonly unknown[]) => [{ bucket: 'bucket' }, ['starts-with', '$key', ''], ...more]
const file = ['file', 'bytes', 'C:\\photos\\me.png'] as const
const type = `multipart/form-data; boundary=${boundary}`

interface Sent {
  readonly headers?: readonly string[]
  readonly owner?: string
  readonly options?: Partial<ServiceOptions>
  readonly url?: string
}

/** Sends a form. Returns what was put, and what was answered or refused. */
async function send(body: string, { headers = [], owner = 'alice', options = {}, url = '/bucket' }: Sent = {}) {
  const puts: unknown[] = []
  const put = async (bucket: string, key: string, source: unknown, given: object) => {
    let text = ''
    for await (const piece of source as AsyncIterable<Uint8Array>) text += Buffer.from(piece).toString()
    puts.push({ bucket, key, text, ...given })
    const lastModified = new Date(noon)
    return { etag: 'abc', size: text.length, seq: 1, versionId: 'null', lastModified }
  }
  const store = fakeStore({ buckets: { head: async () => bucketOf(owner) }, objects: { put } })
  let isClosed = false
  async function* bytes() {
    try {
      yield* inPieces(body, 100)
    } finally {
      isClosed = true
    }
  }
  const length = ['content-length', String(Buffer.byteLength(body))]
  const request: WireRequest = {
    method: 'POST',
    rawUrl: url,
    rawHeaders: [
      'host',
      'localhost:9000',
      ...(headers.includes('content-type') ? [] : ['content-type', type]),
      ...length,
      ...headers,
    ],
    body: bytes(),
    secure: false,
    requestId: 'R',
    client: { signal: new AbortController().signal, onOver: () => undefined },
    trace: {},
  }
  const answer = (await runRequest(serviceWith({ store, ...options }), request).catch(
    (error: unknown) => error,
  )) as Answer
  return { puts, answer, trace: request.trace, isClosed: () => isClosed }
}

const signed = (...fields: readonly Field[]) =>
  formOf([
    ['key', 'k'],
    ...signedV4(policy(...fields.map(([name]) => ['starts-with', `$${name}`, '']))),
    ...fields,
    file,
  ])

const refused = async (body: string, sent: Sent = {}) => {
  const { puts, answer, isClosed } = await send(body, sent)
  expect(puts).toEqual([])
  expect(isClosed()).toBe(true)
  return answer
}

describe('a form', () => {
  it.each([
    ['V4', signedV4(policy())],
    ['V2', signedV2(policy())],
  ])('signed by %s stores its file under its key, as its signer', async (_, signature) => {
    const { puts, answer, trace } = await send(formOf([['key', 'a/b c'], ...signature, file]))
    expect(answer).toMatchObject({ status: 204 })
    expect(answer.headers).toMatchObject({ etag: '"abc"', location: 'http://localhost:9000/bucket/a/b%20c' })
    expect(puts).toMatchObject([{ bucket: 'bucket', key: 'a/b c', text: 'bytes', metadata: {} }])
    expect(trace).toEqual({
      operation: 'PostObject',
      bucket: 'bucket',
      key: 'a/b c',
      identity: 'alice',
      identityName: 'alice',
      accessKeyId: 'ALICE',
    })
  })

  it.each([
    [file, 'to/me.png/me.png'],
    [['file', 'bytes', '/home/$&/$1'], 'to/$1/$1'],
    [['file', 'bytes', ''], 'to//'],
    // As S3 does: without a name there is nothing to put in its place.
    [['file', 'bytes'], 'to/${filename}/${filename}'],
  ] as const)('puts the name of %j into its key before the policy is checked', async (named, key) => {
    const conditions = [{ bucket: 'bucket' }, ['eq', '$key', key]]
    const { puts, answer } = await send(formOf([['key', 'to/${filename}/${filename}'], ...signedV4(conditions), named]))
    expect(answer).toMatchObject({ status: 204 })
    expect(puts).toMatchObject([{ key }])
  })

  it('keeps its fields, in any letter case and with any characters', async () => {
    const fields: readonly Field[] = [
      ['Content-Type', 'text/plain'],
      ['Expires', 'Thu, 01 Jan 2026 12:00:00 GMT'],
      ['Content-Disposition', 'filename="é"'],
      ['X-Amz-Meta-Word', 'ÄMÄZÕÑ S3'],
      ['x-amz-meta-controls', '\u0000\u0001\r\n'],
      ['x-amz-meta-encoded', '=?UTF-8?Q?as-sent?='],
      ['acl', 'private'],
      ['x-amz-checksum-crc32', 'AAAAAA=='],
      ['x-ignore-me', 'x'],
      ['submit', 'Send'],
    ]
    const { puts, answer } = await send(signed(...fields))
    expect(answer).toMatchObject({ status: 204 })
    expect(puts).toMatchObject([
      {
        contentType: 'text/plain',
        expires: 'Thu, 01 Jan 2026 12:00:00 GMT',
        contentDisposition: 'filename="é"',
        metadata: { word: 'ÄMÄZÕÑ S3', controls: '\u0000\u0001\r\n', encoded: '=?UTF-8?Q?as-sent?=' },
        checksum: { algorithm: 'CRC32', expected: 'AAAAAA==' },
      },
    ])
  })

  it('may end in fields that mean nothing', async () => {
    const body = formOf([['key', 'k'], ...signedV4(policy()), file, ['key', 'other'], ['acl', 'x'.repeat(3000)]])
    expect((await send(body)).puts).toMatchObject([{ key: 'k', text: 'bytes' }])
  })

  it.each([
    ['200', 200],
    ['201', 201],
    ['204', 204],
    ['404', 204],
    ['', 204],
  ])('is answered with the requested status, if S3 allows it: %s', async (status, answered) => {
    const { answer } = await send(signed(['success_action_status', status]))
    expect(answer.status).toBe(answered)
  })

  it('with status 201 is answered with the location of its object', async () => {
    const { answer } = await send(signed(['success_action_status', '201']))
    const place = 'http://localhost:9000/bucket/k'
    expect(answer.headers).toMatchObject({ location: place, 'content-type': 'application/xml' })
    expect(answer.body).toContain(
      `<PostResponse><Location>${place}</Location><Bucket>bucket</Bucket><Key>k</Key><ETag>&quot;abc&quot;</ETag></PostResponse>`,
    )
  })

  it.each([
    ['http://host/done', 'http://host/done?bucket=bucket&key=k&etag=%22abc%22'],
    ['https://host/?a=b#c', 'https://host/?a=b&bucket=bucket&key=k&etag=%22abc%22#c'],
    ['/done', undefined],
    ['javascript:alert(1)', undefined],
    ['http://', undefined],
  ])('sends the browser on to %s', async (redirect, location) => {
    for (const name of ['success_action_redirect', 'redirect']) {
      const { answer } = await send(signed([name, redirect], ['success_action_status', '200']))
      expect(answer).toMatchObject(location === undefined ? { status: 200 } : { status: 303, headers: { location } })
    }
  })

  it.each([
    ['12345', 'bytes of the least'],
    ['1234567890', 'bytes of the most'],
  ])('may be as long as its policy allows: %s', async (text) => {
    const signature = signedV4(policy(['content-length-range', 5, 10]))
    expect((await send(formOf([['key', 'k'], ...signature, ['file', text]]))).puts).toMatchObject([{ text }])
  })

  it.each([
    ['1234', 'EntityTooSmall', { ProposedSize: '4', MinSizeAllowed: '5' }],
    ['12345678901', 'EntityTooLarge', { ProposedSize: '11', MaxSizeAllowed: '10' }],
    ['x'.repeat(5000), 'EntityTooLarge', { ProposedSize: '5000', MaxSizeAllowed: '10' }],
  ])('may be no longer and no shorter: %s', async (text, code, details) => {
    const signature = signedV4(policy(['content-length-range', 5, 10]))
    expect(await refused(formOf([['key', 'k'], ...signature, ['file', text]]))).toMatchObject({ code, details })
  })

  it('is checked against the bucket it is sent to, whatever its fields contain', async () => {
    const body = signed(['bucket', 'bucket'])
    expect(await refused(body, { url: '/another' })).toMatchObject({
      code: 'AccessDenied',
      message: 'Invalid according to Policy: Policy Condition failed: ["eq", "$bucket", "bucket"]',
    })
  })

  it('is refused when its policy has no word for the bucket', async () => {
    const body = formOf([['key', 'k'], ...signedV4([['eq', '$key', 'k']]), file])
    expect(await refused(body)).toMatchObject({ message: 'Invalid according to Policy: Extra input fields: bucket' })
  })

  it.each<[string, string, Sent, object]>([
    ['is not signed', formOf([['key', 'k'], file]), {}, { code: 'AccessDenied', message: 'Access Denied' }],
    [
      'is not signed, with a policy',
      formOf([['key', 'k'], ['policy', 'e30='], file]),
      {},
      { code: 'AccessDenied', message: 'Access Denied' },
    ],
    ['has a signer without permission', signed(), { owner: 'bob' }, { code: 'AccessDenied', message: 'Access Denied' }],
    [
      'is over',
      formOf([['key', 'k'], ...signedV4(policy(), '2026-01-01T11:59:59Z'), file]),
      {},
      { code: 'AccessDenied', message: 'Invalid according to Policy: Policy expired.' },
    ],
    [
      'has no key',
      formOf([...signedV4(policy()), file]),
      {},
      { code: 'InvalidArgument', details: { ArgumentName: 'key', ArgumentValue: '' } },
    ],
    ['has an empty key', formOf([['key', ''], file]), {}, { code: 'InvalidArgument' }],
    [
      'has too long a key',
      formOf([['key', 'k'.repeat(1025)], ...signedV4(policy()), file]),
      {},
      { code: 'KeyTooLongError' },
    ],
    ['has no file', formOf([['key', 'k'], ...signedV4(policy())]), {}, { code: 'IncorrectNumberOfFilesInPostRequest' }],
    ['has its key twice', formOf([['key', 'k'], ['Key', 'l'], file]), {}, { code: 'InvalidArgument' }],
    ['requests what is not built', signed(['x-amz-write-offset-bytes', '3']), {}, { code: 'NotImplemented' }],
    ['has a range as a field', signed(['Content-Range', 'bytes 0-4/9']), {}, { code: 'NotImplemented' }],
    ['has a range as a header', signed(), { headers: ['content-range', 'bytes 0-4/9'] }, { code: 'NotImplemented' }],
    ['requests a copy', signed(['x-amz-copy-source', 'a/b']), {}, { code: 'NotImplemented' }],
    ['has tags that are no XML', signed(['tagging', 'not-xml']), {}, { code: 'MalformedXML' }],
    ['has a checksum that is none', signed(['x-amz-checksum-sha256', 'sailorjerry']), {}, { code: 'BadDigest' }],
    [
      'has a header of its own',
      signed(),
      { headers: ['x-amz-acl', 'private'] },
      { code: 'AccessDenied', details: { HeadersNotSigned: 'x-amz-acl' } },
    ],
    [
      'no signature covers whole',
      signed(),
      { options: { unsignedPayload: 'refuse' } },
      { code: 'AccessDenied', message: expect.stringContaining('covered by the signature') },
    ],
    ['is cut short', signed().slice(0, -50), {}, { code: 'MalformedPOSTRequest' }],
  ])('that %s is refused', async (_, body, sent, error) => {
    expect(await refused(body, sent)).toMatchObject(error)
  })

  it('may have the MD5 of its file in a field, and that of the whole form in a header', async () => {
    const md5 = 'AAAAAAAAAAAAAAAAAAAAAA=='
    expect((await send(signed(['Content-MD5', md5]))).puts).toMatchObject([{ contentMD5: md5 }])
    expect(await refused(signed(), { headers: ['content-md5', md5] })).toMatchObject({ code: 'BadDigest' })
  })

  it.each([
    [
      'text/html',
      {
        code: 'PreconditionFailed',
        details: { Condition: 'Bucket POST must be of the enclosure-type multipart/form-data' },
      },
    ],
    ['multipart/form-data', { code: 'MalformedPOSTRequest' }],
    ['multipart/form-data; boundary=a"b', { code: 'MalformedPOSTRequest' }],
    [`multipart/form-data; boundary=${'b'.repeat(71)}`, { code: 'MalformedPOSTRequest' }],
  ])('is none as %s', async (contentType, error) => {
    const { answer } = await send(signed(), { headers: ['content-type', contentType] })
    expect(answer).toMatchObject(error)
  })

  it('is signed once: by its fields', async () => {
    const [, , ...headers] = signedHeaders('POST', '/bucket').slice(0, -2)
    expect((await send(signed(), { headers })).answer).toMatchObject({ code: 'InvalidArgument' })
  })
})
