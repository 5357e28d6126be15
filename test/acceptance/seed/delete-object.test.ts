/** The chapter on DeleteObject: parameters and response headers. What it does to a bucket is in `states.test.ts`. */
import { expect } from 'vitest'
import { expectStatus, refusal } from '../support/test-service.ts'
import { type Sentence, sentences } from '../support/sentences.ts'

/** The two headers under both spellings, which must agree. */
function reported(headers: Readonly<Record<string, string | undefined>>): readonly (string | undefined)[] {
  const pair = (vendor: string) => [headers[`x-${vendor}-delete-marker`], headers[`x-${vendor}-version-id`]]
  expect(pair('amz')).toEqual(pair('svc'))
  return pair('svc')
}

sentences('4.6 DeleteObject', [
  [
    'success: 204, empty body',
    async (service) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/a`)
      const answer = expectStatus(await service.ask(`DELETE /${bucket}/a`), 204)
      expect(answer.body.length).toBe(0)
      expect(answer.headers['content-length']).toBeUndefined()
    },
  ],
  [
    'an object that is not there: 204 as well',
    async (service) => {
      const bucket = await service.bucket()
      expectStatus(await service.ask(`DELETE /${bucket}/never`), 204)
    },
  ],
  [
    'a bucket that is not there: NoSuchBucket',
    async (service) => {
      expect(refusal(await service.ask(`DELETE /${service.name()}/a`))).toEqual([404, 'NoSuchBucket'])
    },
  ],
  [
    'Key may contain slashes, and is deleted alone',
    async (service) => {
      const bucket = await service.bucket()
      for (const key of ['a', 'a/b', 'a/b/', 'a//b', '/a']) await service.put(`/${bucket}/${key}`)
      expectStatus(await service.ask(`DELETE /${bucket}/a/b`), 204)
      const left = (await service.list(bucket)).all('Version').map((version) => version.get('Key'))
      expect(left).toEqual(['/a', 'a', 'a//b', 'a/b/'])
    },
  ],
  [
    'Key has at least one character; a path without one names the bucket',
    async (service) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/k`)
      expectStatus(await service.ask(`DELETE /${bucket}/k`), 204)
      expectStatus(await service.ask(`DELETE /${bucket}/`), 204)
      expect((await service.ask(`GET /${bucket}?location`)).status).toBe(404)
    },
  ],
  [
    'without versionId, versioned: x-svc-delete-marker true, x-svc-version-id of the marker created',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      await service.put(`/${bucket}/a`)
      const [marker, id] = reported((await service.ask(`DELETE /${bucket}/a`)).headers)
      expect(marker).toBe('true')
      expect((await service.list(bucket)).all('DeleteMarker').map((m) => m.get('VersionId'))).toEqual([id])
    },
  ],
  [
    'without versionId, versioned, a key that never was or whose current version is a marker: one more marker',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const first = reported((await service.ask(`DELETE /${bucket}/a`)).headers)
      const second = reported((await service.ask(`DELETE /${bucket}/a`)).headers)
      expect([first[0], second[0]]).toEqual(['true', 'true'])
      const markers = (await service.list(bucket)).all('DeleteMarker').map((m) => m.get('VersionId'))
      expect(markers).toEqual([second[1], first[1]])
    },
  ],
  [
    'without versionId, Suspended: true, and the marker’s version ID is null',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Suspended' })
      await service.put(`/${bucket}/a`)
      expect(reported((await service.ask(`DELETE /${bucket}/a`)).headers)).toEqual(['true', 'null'])
    },
  ],
  [
    'without versionId, never versioned: no marker and no version, so neither header',
    async (service) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/a`)
      expect(reported((await service.ask(`DELETE /${bucket}/a`)).headers)).toEqual([undefined, undefined])
    },
  ],
  ...(['Enabled', 'Suspended'] as const).flatMap((state): Sentence[] => [
    [
      `with versionId of a version, ${state}: x-svc-delete-marker false, x-svc-version-id the one addressed`,
      async (service) => {
        const bucket = await service.bucket({ versioning: 'Enabled' })
        const { versionId } = await service.put(`/${bucket}/a`)
        await service.setVersioning(bucket, state)
        const answer = await service.ask(`DELETE /${bucket}/a?versionId=${versionId}`)
        expect(reported(answer.headers)).toEqual(['false', versionId])
      },
    ],
    [
      `with versionId of a delete marker, ${state}: x-svc-delete-marker true, x-svc-version-id the one addressed`,
      async (service) => {
        const bucket = await service.bucket({ versioning: 'Enabled' })
        const marker = (await service.ask(`DELETE /${bucket}/a`)).headers['x-svc-version-id']
        await service.setVersioning(bucket, state)
        const answer = await service.ask(`DELETE /${bucket}/a?versionId=${marker}`)
        expect(reported(answer.headers)).toEqual(['true', marker])
      },
    ],
    [
      `with versionId null, ${state}: the version null is permanently deleted`,
      async (service) => {
        const bucket = await service.bucket()
        await service.put(`/${bucket}/a`)
        await service.setVersioning(bucket, state)
        expect(reported((await service.ask(`DELETE /${bucket}/a?versionId=null`)).headers)).toEqual(['false', 'null'])
        expect((await service.list(bucket)).all('Version')).toEqual([])
      },
    ],
  ]),
  [
    'with versionId, a version that is gone already: 204, the id addressed, nothing changed',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const { versionId } = await service.put(`/${bucket}/a`)
      await service.put(`/${bucket}/a`)
      for (let i = 0; i < 2; i += 1) {
        const answer = expectStatus(await service.ask(`DELETE /${bucket}/a?versionId=${versionId}`), 204)
        expect(answer.headers['x-svc-version-id']).toBe(versionId)
      }
      const listing = await service.list(bucket)
      expect([listing.all('Version').length, listing.all('DeleteMarker').length]).toEqual([1, 0])
    },
  ],
  [
    'with a versionId that belongs to another key: that key is untouched',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const { versionId } = await service.put(`/${bucket}/b`)
      await service.put(`/${bucket}/a`)
      await service.ask(`DELETE /${bucket}/a?versionId=${versionId}`)
      const left = (await service.list(bucket)).all('Version').map((version) => version.get('Key'))
      expect(left).toEqual(['a', 'b'])
    },
  ],
  [
    'with a versionId that cannot be one: 400, nothing changed',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      await service.put(`/${bucket}/a`)
      for (const id of ['', 'nonsense', '..', '%00', 'NULL', 'x'.repeat(3000)]) {
        const answer = await service.ask(`DELETE /${bucket}/a?versionId=${id}`)
        expect(refusal(answer), id).toEqual([400, 'InvalidArgument'])
      }
      const listing = await service.list(bucket)
      expect([listing.all('Version').length, listing.all('DeleteMarker').length]).toEqual([1, 0])
    },
  ],
])
