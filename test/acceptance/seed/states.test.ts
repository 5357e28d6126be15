/** The chapter on states and transitions: every row of its three tables. */
import { expect } from 'vitest'
import {
  type TestService,
  expectStatus,
  partBytesMin,
  refusal,
  type Versioning,
  versioningBody,
} from '../support/test-service.ts'
import { type Sentence, sentences } from '../support/sentences.ts'

/** What a listing shows, newest first: `+` a version, `-` a marker, `*` behind the current one. */
async function shown(service: TestService, bucket: string): Promise<readonly string[]> {
  const entries = (await service.list(bucket)).children.filter(
    ({ name }) => name === 'Version' || name === 'DeleteMarker',
  )
  return entries.map(
    (entry) =>
      `${entry.name === 'Version' ? '+' : '-'}${entry.get('VersionId')}${entry.get('IsLatest') === 'true' ? '*' : ''}`,
  )
}

async function bucketIn(service: TestService, state: Versioning | 'none'): Promise<string> {
  return service.bucket(state === 'none' ? {} : { versioning: state })
}

const transitions = (['none', 'Enabled', 'Suspended'] as const).flatMap((from) =>
  (['Enabled', 'Suspended'] as const).map(
    (to): Sentence => [
      `${from}: PutBucketVersioning with Status ${to} makes it ${to}`,
      async (service) => {
        const bucket = await bucketIn(service, from)
        const answer = expectStatus(await service.ask(`PUT /${bucket}?versioning`, { body: versioningBody(to) }), 200)
        expect(answer.text).toBe('')
        expect((await service.ask(`GET /${bucket}?versioning`)).xml().get('Status')).toBe(to)
      },
    ],
  ),
)

sentences('3.1 Bucket versioning state', [
  [
    'none: a versioning query returns no state value',
    async (service) => {
      const bucket = await service.bucket()
      const answer = expectStatus(await service.ask(`GET /${bucket}?versioning`), 200)
      expect(answer.xml().name).toBe('VersioningConfiguration')
      expect(answer.xml().children).toEqual([])
    },
  ],
  ...transitions,
  [
    'the bucket must exist',
    async (service) => {
      const answer = await service.ask(`PUT /${service.name()}?versioning`, { body: versioningBody('Enabled') })
      expect(refusal(answer)).toEqual([404, 'NoSuchBucket'])
    },
  ],
  [
    'Enabled: every object added afterwards receives a unique version ID',
    async (service) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/a`)
      await service.setVersioning(bucket, 'Enabled')
      const ids = [(await service.put(`/${bucket}/a`)).versionId, (await service.put(`/${bucket}/a`)).versionId]
      const upload = await service.upload(`/${bucket}/a`, { 1: 'assembled' })
      ids.push((await upload.complete()).headers['x-svc-version-id'])
      expect(new Set(ids).size).toBe(3)
      expect(ids).not.toContain(undefined)
      expect(ids).not.toContain('null')
      expect(await shown(service, bucket)).toEqual([`+${ids[2]}*`, `+${ids[1]}`, `+${ids[0]}`, '+null'])
    },
  ],
  [
    'Suspended: every object added afterwards receives version ID null',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const { versionId } = await service.put(`/${bucket}/a`)
      await service.setVersioning(bucket, 'Suspended')
      await service.put(`/${bucket}/a`, 'one')
      await service.put(`/${bucket}/a`, 'two')
      expect(await shown(service, bucket)).toEqual(['+null*', `+${versionId}`])
      expectStatus(await (await service.upload(`/${bucket}/a`, { 1: 'three' })).complete(), 200)
      expect(await shown(service, bucket)).toEqual(['+null*', `+${versionId}`])
      expect((await service.ask(`GET /${bucket}/a?versionId=null`)).text).toBe('three')
    },
  ],
])

sentences('3.2 Effect of DeleteObject', [
  [
    'never set, no versionId: the object is permanently deleted',
    async (service) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/a`)
      expectStatus(await service.ask(`DELETE /${bucket}/a`), 204)
      expect(await shown(service, bucket)).toEqual([])
      expectStatus(await service.ask(`DELETE /${bucket}`), 204)
    },
  ],
  [
    'Enabled, no versionId: a delete marker is inserted and becomes the current version',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const { versionId } = await service.put(`/${bucket}/a`)
      const marker = (await service.ask(`DELETE /${bucket}/a`)).headers['x-svc-version-id']
      expect(marker).not.toBe('null')
      expect(await shown(service, bucket)).toEqual([`-${marker}*`, `+${versionId}`])
    },
  ],
  [
    'Enabled, no versionId: a version null from before stays',
    async (service) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/a`)
      await service.setVersioning(bucket, 'Enabled')
      const marker = (await service.ask(`DELETE /${bucket}/a`)).headers['x-svc-version-id']
      expect(await shown(service, bucket)).toEqual([`-${marker}*`, '+null'])
    },
  ],
  [
    'Suspended, no versionId, a version null exists: it is removed, and a delete marker is inserted as current',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const { versionId } = await service.put(`/${bucket}/a`)
      await service.setVersioning(bucket, 'Suspended')
      await service.put(`/${bucket}/a`)
      expect(await shown(service, bucket)).toEqual(['+null*', `+${versionId}`])
      expectStatus(await service.ask(`DELETE /${bucket}/a`), 204)
      expect(await shown(service, bucket)).toEqual(['-null*', `+${versionId}`])
    },
  ],
  [
    'Suspended, no versionId, the version null is not the current one: it is removed all the same',
    async (service) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/a`)
      await service.setVersioning(bucket, 'Enabled')
      const { versionId } = await service.put(`/${bucket}/a`)
      await service.setVersioning(bucket, 'Suspended')
      expectStatus(await service.ask(`DELETE /${bucket}/a`), 204)
      expect(await shown(service, bucket)).toEqual(['-null*', `+${versionId}`])
    },
  ],
  [
    'Suspended, no versionId, every version has a real VersionId: none is removed, a delete marker is inserted',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const ids = [(await service.put(`/${bucket}/a`)).versionId, (await service.put(`/${bucket}/a`)).versionId]
      await service.setVersioning(bucket, 'Suspended')
      expectStatus(await service.ask(`DELETE /${bucket}/a`), 204)
      expect(await shown(service, bucket)).toEqual(['-null*', `+${ids[1]}`, `+${ids[0]}`])
    },
  ],
  ...(['Enabled', 'Suspended'] as const).flatMap((state): Sentence[] => [
    [
      `${state}, with versionId: that specific version is permanently deleted, and no other`,
      async (service) => {
        const bucket = await service.bucket({ versioning: 'Enabled' })
        const [old, mid, now] = [
          (await service.put(`/${bucket}/a`)).versionId,
          (await service.put(`/${bucket}/a`)).versionId,
          (await service.put(`/${bucket}/a`)).versionId,
        ]
        await service.setVersioning(bucket, state)
        expectStatus(await service.ask(`DELETE /${bucket}/a?versionId=${mid}`), 204)
        expect(await shown(service, bucket)).toEqual([`+${now}*`, `+${old}`])
        expectStatus(await service.ask(`DELETE /${bucket}/a?versionId=${now}`), 204)
        expect(await shown(service, bucket)).toEqual([`+${old}*`])
        expect((await service.ask(`GET /${bucket}/a?versionId=${now}`)).status).toBe(404)
      },
    ],
    [
      `${state}, with versionId: that specific delete marker is permanently deleted, and the version below is current again`,
      async (service) => {
        const bucket = await service.bucket({ versioning: 'Enabled' })
        const { versionId } = await service.put(`/${bucket}/a`, 'back')
        await service.setVersioning(bucket, state)
        const marker = (await service.ask(`DELETE /${bucket}/a`)).headers['x-svc-version-id']
        expectStatus(await service.ask(`DELETE /${bucket}/a?versionId=${marker}`), 204)
        expect(await shown(service, bucket)).toEqual([`+${versionId}*`])
        expect((await service.ask(`GET /${bucket}/a`)).text).toBe('back')
      },
    ],
  ]),
])

sentences('3.3 Multipart upload', [
  [
    'initiated, completed with a valid list: parts are concatenated in ascending part-number order into a new object',
    async (service) => {
      const bucket = await service.bucket()
      const part = (letter: string) => Buffer.alloc(partBytesMin, letter)
      const upload = await service.upload(`/${bucket}/a`)
      await upload.part(9, part('c'))
      await upload.part(2, part('a'))
      await upload.part(5, part('b'))
      expectStatus(await upload.complete(), 200)
      const { body } = await service.ask(`GET /${bucket}/a`)
      expect(body.equals(Buffer.concat(['a', 'b', 'c'].map(part)))).toBe(true)
    },
  ],
  [
    'every part except the last is at least 5 MB: exactly that is enough, one byte less is not',
    async (service) => {
      const bucket = await service.bucket()
      const enough = await service.upload(`/${bucket}/a`, { 1: Buffer.alloc(partBytesMin), 2: 'x' })
      expectStatus(await enough.complete(), 200)
      const short = await service.upload(`/${bucket}/b`, { 1: Buffer.alloc(partBytesMin - 1), 2: 'x' })
      expect(refusal(await short.complete())).toEqual([400, 'EntityTooSmall'])
    },
  ],
  [
    'an upload that could not be completed is still initiated',
    async (service) => {
      const bucket = await service.bucket()
      const upload = await service.upload(`/${bucket}/a`, { 1: 'x' })
      expect(refusal(await upload.complete([{ PartNumber: 2, ETag: '"nothing"' }]))).toEqual([400, 'InvalidPart'])
      expectStatus(await upload.complete(), 200)
    },
  ],
  [
    'a completed upload gives NoSuchUpload on completion',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const upload = await service.upload(`/${bucket}/a`, { 1: 'x' })
      expectStatus(await upload.complete(), 200)
      expect(refusal(await upload.complete())).toEqual([404, 'NoSuchUpload'])
      expect(await shown(service, bucket)).toHaveLength(1)
    },
  ],
  [
    'an aborted upload gives NoSuchUpload on completion',
    async (service) => {
      const bucket = await service.bucket()
      const upload = await service.upload(`/${bucket}/a`, { 1: 'x' })
      expectStatus(await service.ask(`DELETE /${bucket}/a?uploadId=${upload.uploadId}`), 204)
      expect(refusal(await upload.complete())).toEqual([404, 'NoSuchUpload'])
      expect((await service.ask(`GET /${bucket}/a`)).status).toBe(404)
    },
  ],
  ...['nonsense', '', '%00', '..%2F..', 'x'.repeat(2000)].map(
    (uploadId): Sentence => [
      `an invalid upload ID (${uploadId.slice(0, 12)}) gives NoSuchUpload on completion`,
      async (service) => {
        const bucket = await service.bucket()
        const { complete } = await service.upload(`/${bucket}/a`, { 1: 'x' })
        const body =
          '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>x</ETag></Part></CompleteMultipartUpload>'
        const answer = await service.ask(`POST /${bucket}/a?uploadId=${uploadId}`, { body })
        expect(refusal(answer)).toEqual([404, 'NoSuchUpload'])
        expectStatus(await complete(), 200)
      },
    ],
  ),
])
