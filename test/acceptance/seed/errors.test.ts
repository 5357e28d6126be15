/** The chapters on errors, limits and versioning. */
import { expect } from 'vitest'
import type { Answer } from '../support/call.ts'
import { completionBody, type TestService, expectStatus, partBytesMin, refusal } from '../support/test-service.ts'
import { type Sentence, sentences } from '../support/sentences.ts'

/** The error table: code, status, condition, and a request that meets it. InternalError is in the chapter on completion. */
const errors: readonly (readonly [
  code: string,
  status: number,
  when: string,
  ask: (service: TestService) => Promise<Answer>,
])[] = [
  [
    'EntityTooSmall',
    400,
    'a part other than the last is smaller than 5 MB',
    async (service) => (await service.upload(`/${await service.bucket()}/a`, { 1: 'small', 2: 'last' })).complete(),
  ],
  [
    'InvalidPart',
    400,
    'a listed part is missing',
    async (service) => {
      const upload = await service.upload(`/${await service.bucket()}/a`, { 1: 'part' })
      return upload.complete([{ PartNumber: 2, ETag: upload.etags.get(1) ?? '' }])
    },
  ],
  [
    'InvalidPart',
    400,
    'a listed part’s ETag does not match the uploaded part',
    async (service) => {
      const upload = await service.upload(`/${await service.bucket()}/a`, { 1: 'part' })
      return upload.complete([{ PartNumber: 1, ETag: `"${'0'.repeat(32)}"` }])
    },
  ],
  [
    'InvalidPartOrder',
    400,
    'the parts list is not in ascending part-number order',
    async (service) => {
      const upload = await service.upload(`/${await service.bucket()}/a`, { 1: Buffer.alloc(partBytesMin), 2: 'two' })
      return upload.complete([2, 1].map((PartNumber) => ({ PartNumber, ETag: upload.etags.get(PartNumber) ?? '' })))
    },
  ],
  [
    'NoSuchUpload',
    404,
    'the upload ID is invalid',
    async (service) =>
      service.ask(`POST /${await service.bucket()}/a?uploadId=invalid`, {
        body: completionBody([{ PartNumber: 1, ETag: 'x' }]),
      }),
  ],
  [
    'NoSuchUpload',
    404,
    'the upload was aborted',
    async (service) => {
      const upload = await service.upload(`/${await service.bucket()}/a`, { 1: 'part' })
      expectStatus(await service.ask(`DELETE ${upload.path}?uploadId=${upload.uploadId}`), 204)
      return upload.complete()
    },
  ],
  [
    'NoSuchUpload',
    404,
    'the upload was already completed',
    async (service) => {
      const upload = await service.upload(`/${await service.bucket()}/a`, { 1: 'part' })
      expectStatus(await upload.complete(), 200)
      return upload.complete()
    },
  ],
  [
    'BucketAlreadyExists',
    409,
    'the bucket name is not available',
    async (service) => service.ask(`PUT /${await service.bucket({ as: 'ann' })}`, { as: 'bob' }),
  ],
  [
    'AccessDenied',
    403,
    'the request is not permitted',
    async (service) => service.ask(`GET /${await service.bucket({ as: 'ann' })}?versions`, { as: 'bob' }),
  ],
]

sentences('7 Errors', [
  ...errors.map(
    ([code, status, when, ask]): Sentence => [
      `${code}, ${status}: ${when}`,
      async (service) => {
        expect(refusal(await ask(service))).toEqual([status, code])
      },
    ],
  ),
  [
    'an error response is XML with the root Error containing Code, Message and RequestId, once each',
    async (service) => {
      for (const [, , , ask] of errors) {
        const answer = await ask(service)
        expect(answer.headers['content-type']).toMatch(/^application\/xml\b/)
        const root = answer.xml()
        expect(root.name).toBe('Error')
        for (const name of ['Code', 'Message', 'RequestId']) expect(root.get(name), name).toMatch(/\S/)
      }
    },
  ],
  [
    'RequestId is the x-request-id of the response',
    async (service) => {
      const answer = await service.ask(`GET /${service.name()}?versions`)
      expect(answer.xml().get('RequestId')).toBe(answer.headers['x-request-id'])
    },
  ],
  [
    'AccessDenied is returned before any response header is sent: it is the status',
    async (service) => {
      const upload = await service.upload(`/${await service.bucket({ as: 'ann' })}/a`, { 1: 'part' })
      expect(refusal(await upload.complete(undefined, { as: 'bob' }))).toEqual([403, 'AccessDenied'])
      expectStatus(await upload.complete(undefined, { as: 'ann' }), 200)
    },
  ],
  [
    'a completion request with no valid Part gives 400',
    async (service) => {
      const upload = await service.upload(`/${await service.bucket()}/a`, { 1: 'part' })
      expect(refusal(await upload.complete([]))[0]).toBe(400)
    },
  ],
])

sentences('8 Limits', [
  [
    'max-keys defaults to 1000 results',
    async (service) => {
      expect((await service.list(await service.bucket())).get('MaxKeys')).toBe('1000')
    },
  ],
  [
    'the minimum part size does not apply to the last part: it may be empty',
    async (service) => {
      const bucket = await service.bucket()
      const upload = await service.upload(`/${bucket}/a`, { 1: Buffer.alloc(partBytesMin), 2: '' })
      expectStatus(await upload.complete(), 200)
      const { headers } = await service.ask(`HEAD /${bucket}/a`)
      expect(headers['content-length']).toBe(String(partBytesMin))
    },
  ],
  [
    'the minimum part size counts what is listed: a small part left out does no harm',
    async (service) => {
      const bucket = await service.bucket()
      const upload = await service.upload(`/${bucket}/a`, { 1: 'small', 2: 'last' })
      expectStatus(await upload.complete([{ PartNumber: 2, ETag: upload.etags.get(2) ?? '' }]), 200)
      expect((await service.ask(`GET /${bucket}/a`)).text).toBe('last')
    },
  ],
  [
    'the minimum key length is 1, for deleting and for completing',
    async (service) => {
      const bucket = await service.bucket()
      expectStatus(await (await service.upload(`/${bucket}/k`, { 1: 'x' })).complete(), 200)
      expectStatus(await service.ask(`DELETE /${bucket}/k`), 204)
      const body = completionBody([{ PartNumber: 1, ETag: 'x' }])
      const status = (await service.ask(`POST /${bucket}/?uploadId=x`, { body })).status
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
    },
  ],
])

sentences('9 Versioning', [
  [
    'versioning is controlled per bucket: one bucket’s state is not another’s',
    async (service) => {
      const buckets = [await service.bucket({ versioning: 'Enabled' }), await service.bucket()]
      for (const bucket of buckets) for (const body of ['1', '2']) await service.put(`/${bucket}/a`, body)
      const counts = []
      for (const bucket of buckets) counts.push((await service.list(bucket)).all('Version').length)
      expect(counts).toEqual([2, 1])
    },
  ],
  [
    'changing the state changes nothing that is there',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      for (const body of ['1', '2']) await service.put(`/${bucket}/a`, body)
      await service.ask(`DELETE /${bucket}/a`)
      const entries = async () =>
        (await service.list(bucket)).children.filter(({ name }) => name === 'Version' || name === 'DeleteMarker')
      const texts = async () => JSON.stringify(await entries())
      const before = await texts()
      await service.setVersioning(bucket, 'Suspended')
      expect(await texts()).toBe(before)
      await service.setVersioning(bucket, 'Enabled')
      expect(await texts()).toBe(before)
      expect((await entries()).length).toBe(3)
    },
  ],
  [
    'a listing reports every version and delete marker with its VersionId and IsLatest, one latest per key',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      for (const key of ['a', 'b', 'a']) await service.put(`/${bucket}/${key}`)
      await service.ask(`DELETE /${bucket}/b`)
      const listing = await service.list(bucket)
      const all = [...listing.all('Version'), ...listing.all('DeleteMarker')]
      expect(all).toHaveLength(4)
      for (const entry of all) expect(entry.get('VersionId')).toMatch(/\S/)
      const latest = all.filter((entry) => entry.get('IsLatest') === 'true').map((entry) => entry.get('Key'))
      expect(new Set(latest)).toEqual(new Set(['a', 'b']))
      expect(latest).toHaveLength(2)
    },
  ],
  [
    'never set: the bucket has no versioning state, and an object added gets no version ID',
    async (service) => {
      const bucket = await service.bucket()
      const { versionId } = await service.put(`/${bucket}/a`)
      expect(versionId).toBeUndefined()
      expect((await service.list(bucket)).all('Version')[0]?.get('VersionId')).toBe('null')
    },
  ],
])
