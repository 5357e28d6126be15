/** A condition on a write is honoured or refused: every write with every conditional header. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BuiltRow } from '#http/contract/operation'
import { operations } from '#http/operations/table'
import { requestOf } from '../support/row-request.ts'
import { expectStatus, openTestService, refusal, type TestService } from '../support/test-service.ts'
import { postForm } from './ways-to-write.ts'

const past = 'Mon, 01 Jan 2001 00:00:00 GMT'

const ofTarget: Readonly<Record<string, string>> = {
  'if-match': '"wrong"',
  'if-none-match': '*',
  'if-modified-since': past,
  'if-unmodified-since': past,
  'x-amz-if-match-initiated-time': past,
  'x-amz-if-match-last-modified-time': past,
  'x-amz-if-match-size': '1',
  'x-amz-object-if-match': '"wrong"',
}
const ofSource: Readonly<Record<string, string>> = {
  'x-amz-copy-source-if-match': '"wrong"',
  'x-amz-copy-source-if-modified-since': past,
  'x-amz-copy-source-if-none-match': '"wrong"',
  'x-amz-copy-source-if-unmodified-since': past,
  'x-amz-copy-source-if-junk': '"wrong"',
  'x-amz-rename-source-if-match': '"wrong"',
  'x-amz-rename-source-if-modified-since': past,
  'x-amz-rename-source-if-none-match': '"wrong"',
  'x-amz-rename-source-if-unmodified-since': past,
  'x-amz-source-expected-bucket-owner': '1'.repeat(12),
}
const conditions = { ...ofTarget, ...ofSource }

const ofCopies = ['if-match', 'if-modified-since', 'if-none-match', 'if-unmodified-since'].map(
  (name) => `x-amz-copy-source-${name}`,
)
/** The tests of conditions show that these are honoured. */
const honoured: Readonly<Record<string, readonly string[]>> = {
  PutObject: ['if-match', 'if-none-match'],
  CompleteMultipartUpload: ['if-match', 'if-none-match'],
  CopyObject: ['if-match', 'if-none-match', 'x-amz-source-expected-bucket-owner', ...ofCopies],
  DeleteObject: ['if-match'],
  UploadPartCopy: ['x-amz-source-expected-bucket-owner', ...ofCopies],
}

const isWrite = (row: (typeof operations)[number]): row is BuiltRow =>
  row.handler !== undefined && row.method !== 'GET' && row.method !== 'HEAD' && row.name !== 'PostObject'

describe('a conditional write', () => {
  let service: TestService
  beforeAll(async () => {
    service = await openTestService()
    expectStatus(await service.ask('PUT /from'), 200)
    await service.put('/from/k')
  })
  afterAll(() => service.stop())

  it.each(operations.filter(isWrite).map((row) => [row.name, row] as const))(
    '%s refuses the conditions that it does not honour, and does nothing',
    async (name, row) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/k`)
      const [line, { headers }] = requestOf(row, bucket)
      const before = (await service.ask(`GET /${bucket}?versions`)).text
      for (const [header, value] of Object.entries(conditions)) {
        if (honoured[name]?.includes(header)) continue
        const answer = await service.ask(line, { headers: { ...headers, [header]: value } })
        expect(refusal(answer), header).toEqual([501, 'NotImplemented'])
      }
      expect((await service.ask(`GET /${bucket}?versions`)).text).toBe(before)
    },
  )

  it('by a form is refused, in a field and in a header, unless it is one of a put', async () => {
    const bucket = await service.bucket()
    for (const [header, value] of Object.entries(conditions)) {
      const isHonoured = honoured['PutObject']?.includes(header)
      const expected = isHonoured
        ? header === 'if-match'
          ? { status: 404, code: 'NoSuchKey' }
          : { status: 204, code: undefined }
        : { status: 501, code: 'NotImplemented' }
      expect(await postForm(service, bucket, { [header]: value }), header).toEqual(expected)
      expectStatus(await service.ask(`DELETE /${bucket}/k`), 204)
      if (header.startsWith('x-amz-')) continue
      expect(await postForm(service, bucket, {}, { [header]: value }), header).toEqual(expected)
      expectStatus(await service.ask(`DELETE /${bucket}/k`), 204)
    }
  })

  it('on the owner of a bucket is refused where the request has no such bucket', async () => {
    const bucket = await service.bucket()
    const headers = { 'x-amz-expected-bucket-owner': '1'.repeat(12) }
    expect(refusal(await service.ask('PUT /owned', { headers }))).toEqual([501, 'NotImplemented'])
    expect(refusal(await service.ask('GET /', { headers }))).toEqual([501, 'NotImplemented'])
    expectStatus(await service.ask('HEAD /owned'), 404)
    for (const line of [`PUT /${bucket}/k`, `DELETE /${bucket}/k`, `PUT /${bucket}?cors`, `DELETE /${bucket}`]) {
      expect(refusal(await service.ask(line, { headers })), line).toEqual([403, 'AccessDenied'])
    }
    const copy = { 'x-amz-copy-source': '/from/k', 'x-amz-source-expected-bucket-owner': '1'.repeat(12) }
    expect(refusal(await service.ask(`PUT /${bucket}/k`, { headers: copy }))).toEqual([403, 'AccessDenied'])
  })

  it('has no effect of Varve by a form', async () => {
    const bucket = await service.bucket()
    const unbuilt = { status: 501, code: 'NotImplemented' }
    for (const name of ['x-varve-receipt', 'x-varve-at', 'x-varve-junk']) {
      expect(await postForm(service, bucket, { [name]: 'true' }), name).toEqual(unbuilt)
      expect(await postForm(service, bucket, {}, { [name]: 'true' }), name).toEqual({
        status: 403,
        code: 'AccessDenied',
      })
    }
  })

  it.each(['right', 'wrong', '*'])('of a version is refused with If-Match: %s', async (which) => {
    const bucket = await service.bucket({ versioning: 'Enabled' })
    const { etag, versionId } = await service.put(`/${bucket}/k`)
    const headers = { 'if-match': which === 'right' ? etag : which }
    const line = `DELETE /${bucket}/k?versionId=${versionId}`
    expect(refusal(await service.ask(line, { headers }))).toEqual([501, 'NotImplemented'])
    expectStatus(await service.ask(`HEAD /${bucket}/k?versionId=${versionId}`), 200)
    expectStatus(await service.ask(line), 204)
  })

  it.each(['x-amz-copy-source-if-modified-since', 'x-amz-copy-source-if-unmodified-since'])(
    'by a copy needs a date in %s',
    async (header) => {
      const bucket = await service.bucket()
      for (const value of ['yesterday', '0', '', past.toLowerCase()]) {
        const headers = { 'x-amz-copy-source': '/from/k', [header]: value }
        expect(refusal(await service.ask(`PUT /${bucket}/k`, { headers })), value).toEqual([400, 'InvalidArgument'])
      }
    },
  )

  it('leaves reads as HTTP has them', async () => {
    const bucket = await service.bucket()
    const headers = { 'if-none-match': '*', 'if-modified-since': past, 'if-unmodified-since': past }
    for (const query of ['', '?acl', '?versions', '?uploads']) {
      expectStatus(await service.ask(`GET /${bucket}${query}`, { headers }), 200)
    }
  })
})
