/** The chapters on errors, limits and versioning. */
import { expect } from 'vitest'
import type { Answer } from '../support/call.ts'
import { completionBody, type Door, expectStatus, partBytesMin, refusal } from '../support/door.ts'
import { type Sentence, sentences } from '../support/sentences.ts'

/** The error table: code, status, condition, and a request that meets it. InternalError is in the chapter on completion. */
const errors: readonly (readonly [code: string, status: number, when: string, ask: (door: Door) => Promise<Answer>])[] =
  [
    [
      'EntityTooSmall',
      400,
      'a part other than the last is smaller than 5 MB',
      async (door) => (await door.upload(`/${await door.bucket()}/a`, { 1: 'small', 2: 'last' })).complete(),
    ],
    [
      'InvalidPart',
      400,
      'a listed part is missing',
      async (door) => {
        const upload = await door.upload(`/${await door.bucket()}/a`, { 1: 'part' })
        return upload.complete([{ PartNumber: 2, ETag: upload.etags.get(1) ?? '' }])
      },
    ],
    [
      'InvalidPart',
      400,
      'a listed part’s ETag does not match the uploaded part',
      async (door) => {
        const upload = await door.upload(`/${await door.bucket()}/a`, { 1: 'part' })
        return upload.complete([{ PartNumber: 1, ETag: `"${'0'.repeat(32)}"` }])
      },
    ],
    [
      'InvalidPartOrder',
      400,
      'the parts list is not in ascending part-number order',
      async (door) => {
        const upload = await door.upload(`/${await door.bucket()}/a`, { 1: Buffer.alloc(partBytesMin), 2: 'two' })
        return upload.complete([2, 1].map((PartNumber) => ({ PartNumber, ETag: upload.etags.get(PartNumber) ?? '' })))
      },
    ],
    [
      'NoSuchUpload',
      404,
      'the upload ID is invalid',
      async (door) =>
        door.ask(`POST /${await door.bucket()}/a?uploadId=invalid`, {
          body: completionBody([{ PartNumber: 1, ETag: 'x' }]),
        }),
    ],
    [
      'NoSuchUpload',
      404,
      'the upload was aborted',
      async (door) => {
        const upload = await door.upload(`/${await door.bucket()}/a`, { 1: 'part' })
        expectStatus(await door.ask(`DELETE ${upload.path}?uploadId=${upload.uploadId}`), 204)
        return upload.complete()
      },
    ],
    [
      'NoSuchUpload',
      404,
      'the upload was already completed',
      async (door) => {
        const upload = await door.upload(`/${await door.bucket()}/a`, { 1: 'part' })
        expectStatus(await upload.complete(), 200)
        return upload.complete()
      },
    ],
    [
      'BucketAlreadyExists',
      409,
      'the bucket name is not available',
      async (door) => door.ask(`PUT /${await door.bucket({ as: 'ann' })}`, { as: 'bob' }),
    ],
    [
      'AccessDenied',
      403,
      'the request is not permitted',
      async (door) => door.ask(`GET /${await door.bucket({ as: 'ann' })}?versions`, { as: 'bob' }),
    ],
  ]

sentences('7 Errors', [
  ...errors.map(
    ([code, status, when, ask]): Sentence => [
      `${code}, ${status}: ${when}`,
      async (door) => {
        expect(refusal(await ask(door))).toEqual([status, code])
      },
    ],
  ),
  [
    'an error response is XML with the root Error containing Code, Message and RequestId, once each',
    async (door) => {
      for (const [, , , ask] of errors) {
        const answer = await ask(door)
        expect(answer.headers['content-type']).toMatch(/^application\/xml\b/)
        const root = answer.xml()
        expect(root.name).toBe('Error')
        for (const name of ['Code', 'Message', 'RequestId']) expect(root.get(name), name).toMatch(/\S/)
      }
    },
  ],
  [
    'RequestId is the x-request-id of the response',
    async (door) => {
      const answer = await door.ask(`GET /${door.name()}?versions`)
      expect(answer.xml().get('RequestId')).toBe(answer.headers['x-request-id'])
    },
  ],
  [
    'AccessDenied is returned before any response header is sent: it is the status',
    async (door) => {
      const upload = await door.upload(`/${await door.bucket({ as: 'ann' })}/a`, { 1: 'part' })
      expect(refusal(await upload.complete(undefined, { as: 'bob' }))).toEqual([403, 'AccessDenied'])
      expectStatus(await upload.complete(undefined, { as: 'ann' }), 200)
    },
  ],
  [
    'a completion request with no valid Part gives 400',
    async (door) => {
      const upload = await door.upload(`/${await door.bucket()}/a`, { 1: 'part' })
      expect(refusal(await upload.complete([]))[0]).toBe(400)
    },
  ],
])

sentences('8 Limits', [
  [
    'max-keys defaults to 1000 results',
    async (door) => {
      expect((await door.list(await door.bucket())).get('MaxKeys')).toBe('1000')
    },
  ],
  [
    'the minimum part size does not apply to the last part: it may be empty',
    async (door) => {
      const bucket = await door.bucket()
      const upload = await door.upload(`/${bucket}/a`, { 1: Buffer.alloc(partBytesMin), 2: '' })
      expectStatus(await upload.complete(), 200)
      const { headers } = await door.ask(`HEAD /${bucket}/a`)
      expect(headers['content-length']).toBe(String(partBytesMin))
    },
  ],
  [
    'the minimum part size counts what is listed: a small part left out does no harm',
    async (door) => {
      const bucket = await door.bucket()
      const upload = await door.upload(`/${bucket}/a`, { 1: 'small', 2: 'last' })
      expectStatus(await upload.complete([{ PartNumber: 2, ETag: upload.etags.get(2) ?? '' }]), 200)
      expect((await door.ask(`GET /${bucket}/a`)).text).toBe('last')
    },
  ],
  [
    'the minimum key length is 1, for deleting and for completing',
    async (door) => {
      const bucket = await door.bucket()
      expectStatus(await (await door.upload(`/${bucket}/k`, { 1: 'x' })).complete(), 200)
      expectStatus(await door.ask(`DELETE /${bucket}/k`), 204)
      const body = completionBody([{ PartNumber: 1, ETag: 'x' }])
      const status = (await door.ask(`POST /${bucket}/?uploadId=x`, { body })).status
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
    },
  ],
])

sentences('9 Versioning', [
  [
    'versioning is controlled per bucket: one bucket’s state is not another’s',
    async (door) => {
      const buckets = [await door.bucket({ versioning: 'Enabled' }), await door.bucket()]
      for (const bucket of buckets) for (const body of ['1', '2']) await door.put(`/${bucket}/a`, body)
      const counts = []
      for (const bucket of buckets) counts.push((await door.list(bucket)).all('Version').length)
      expect(counts).toEqual([2, 1])
    },
  ],
  [
    'changing the state changes nothing that is there',
    async (door) => {
      const bucket = await door.bucket({ versioning: 'Enabled' })
      for (const body of ['1', '2']) await door.put(`/${bucket}/a`, body)
      await door.ask(`DELETE /${bucket}/a`)
      const entries = async () =>
        (await door.list(bucket)).children.filter(({ name }) => name === 'Version' || name === 'DeleteMarker')
      const texts = async () => JSON.stringify(await entries())
      const before = await texts()
      await door.setVersioning(bucket, 'Suspended')
      expect(await texts()).toBe(before)
      await door.setVersioning(bucket, 'Enabled')
      expect(await texts()).toBe(before)
      expect((await entries()).length).toBe(3)
    },
  ],
  [
    'a listing reports every version and delete marker with its VersionId and IsLatest, one latest per key',
    async (door) => {
      const bucket = await door.bucket({ versioning: 'Enabled' })
      for (const key of ['a', 'b', 'a']) await door.put(`/${bucket}/${key}`)
      await door.ask(`DELETE /${bucket}/b`)
      const listing = await door.list(bucket)
      const all = [...listing.all('Version'), ...listing.all('DeleteMarker')]
      expect(all).toHaveLength(4)
      for (const entry of all) expect(entry.get('VersionId')).toMatch(/\S/)
      const latest = all.filter((entry) => entry.get('IsLatest') === 'true').map((entry) => entry.get('Key'))
      expect(new Set(latest)).toEqual(new Set(['a', 'b']))
      expect(latest).toHaveLength(2)
    },
  ],
  [
    'never set: the bucket has no versioning state, and an object added has no version ID to speak of',
    async (door) => {
      const bucket = await door.bucket()
      const { versionId } = await door.put(`/${bucket}/a`)
      expect(versionId).toBeUndefined()
      expect((await door.list(bucket)).all('Version')[0]?.get('VersionId')).toBe('null')
    },
  ],
])
