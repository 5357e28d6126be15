/** Versioning states, null versions, delete markers: status, code, words and headers as S3 was recorded to send them. */
import { expect } from 'vitest'
import { type TestService, expectStatus, refusal, versioningBody } from '../support/test-service.ts'
import { errorOf, recorded } from '../support/recorded.ts'

/** The message of S3 ends there. Ours continues with what is wrong. */
const malformed = expect.stringMatching(
  /^The XML you provided was not well-formed or did not validate against our published schema/,
)
const notAllowed = 'The specified method is not allowed against this resource.'
/** A version id of the right form that belongs to no version in the test. */
const unknownId = async (service: TestService) =>
  (await service.put(`/${await service.bucket({ versioning: 'Enabled' })}/k`)).versionId

recorded('the state of versioning', [
  [
    'a bucket that never had versioning has no Status, and may be suspended at once',
    async (service) => {
      const bucket = await service.bucket()
      const status = async () => (await service.ask(`GET /${bucket}?versioning`)).xml().get('Status')
      expect(await status()).toBeUndefined()
      await service.setVersioning(bucket, 'Suspended')
      expect(await status()).toBe('Suspended')
      await service.setVersioning(bucket, 'Enabled')
      expect(await status()).toBe('Enabled')
    },
  ],
  [
    'a Status in lower case, or Disabled, is malformed; a configuration without one is illegal',
    async (service) => {
      const bucket = await service.bucket()
      const set = async (body: string) => errorOf(await service.ask(`PUT /${bucket}?versioning`, { body }))
      for (const status of ['enabled', 'Disabled']) {
        expect(await set(versioningBody(status))).toEqual({ status: 400, Code: 'MalformedXML', Message: malformed })
      }
      expect(await set('<VersioningConfiguration/>')).toEqual({
        status: 400,
        Code: 'IllegalVersioningConfigurationException',
        Message: 'The Versioning element must be specified',
      })
    },
  ],
  [
    'a bucket that is not there has no versioning to read or set, and is named',
    async (service) => {
      const bucket = service.name()
      const missing = {
        status: 404,
        Code: 'NoSuchBucket',
        Message: 'The specified bucket does not exist',
        BucketName: bucket,
      }
      expect(errorOf(await service.ask(`GET /${bucket}?versioning`))).toEqual(missing)
      const body = versioningBody('Enabled')
      expect(errorOf(await service.ask(`PUT /${bucket}?versioning`, { body }))).toEqual(missing)
    },
  ],
  [
    'a write to a suspended bucket names no version, and what it wrote is read as version null',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      await service.put(`/${bucket}/k`, 'kept')
      await service.setVersioning(bucket, 'Suspended')
      for (const body of ['one', 'two']) expect((await service.put(`/${bucket}/k`, body)).versionId).toBeUndefined()
      const got = await service.ask(`GET /${bucket}/k`)
      expect([got.text, got.headers['x-amz-version-id']]).toEqual(['two', 'null'])
      expect((await service.list(bucket)).all('Version')).toHaveLength(2)
    },
  ],
  [
    'a copy in a suspended bucket names version null',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Suspended' })
      await service.put(`/${bucket}/k`)
      const headers = { 'x-amz-copy-source': `${bucket}/k`, 'x-amz-metadata-directive': 'REPLACE' }
      const copied = expectStatus(await service.ask(`PUT /${bucket}/k`, { headers }), 200)
      expect(copied.headers['x-amz-version-id']).toBe('null')
    },
  ],
  [
    'deletes in a suspended bucket leave one marker null, however many they are',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Suspended' })
      await service.put(`/${bucket}/k`)
      for (const _ of [1, 2]) {
        const { status, headers } = await service.ask(`DELETE /${bucket}/k`)
        expect([status, headers['x-amz-delete-marker'], headers['x-amz-version-id']]).toEqual([204, 'true', 'null'])
      }
      const listing = await service.list(bucket)
      expect(listing.all('DeleteMarker').map((marker) => marker.get('VersionId'))).toEqual(['null'])
      expect(listing.all('Version')).toEqual([])
    },
  ],
  [
    'a write that fails leaves the marker null where it was',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Suspended' })
      await service.ask(`DELETE /${bucket}/k`)
      const headers = { 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==' }
      expect(refusal(await service.ask(`PUT /${bucket}/k`, { body: 'other bytes', headers }))).toEqual([
        400,
        'BadDigest',
      ])
      const listing = await service.list(bucket)
      expect(listing.all('DeleteMarker').map((marker) => marker.get('IsLatest'))).toEqual(['true'])
      expect(listing.all('Version')).toEqual([])
    },
  ],
  [
    'an upload is a version or not by the state of its bucket when it is completed',
    async (service) => {
      const bucket = await service.bucket()
      const before = await service.upload(`/${bucket}/a`, { 1: 'x' })
      await service.setVersioning(bucket, 'Enabled')
      const made = expectStatus(await before.complete(), 200).headers['x-amz-version-id']
      expect(made).toMatch(/^(?!null$)\S+$/)
      const during = await service.upload(`/${bucket}/b`, { 1: 'x' })
      await service.setVersioning(bucket, 'Suspended')
      expect([undefined, 'null']).toContain(expectStatus(await during.complete(), 200).headers['x-amz-version-id'])
      const ids = (await service.list(bucket)).all('Version').map((version) => version.get('VersionId'))
      expect(ids).toEqual([made, 'null'])
    },
  ],
  [
    'without versioning the only id is null, and no answer names it',
    async (service) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/k`, 'here')
      const got = await service.ask(`GET /${bucket}/k?versionId=null`)
      expect([got.text, got.headers['x-amz-version-id']]).toEqual(['here', undefined])
      const id = await unknownId(service)
      expect(errorOf(await service.ask(`GET /${bucket}/k?versionId=${id}`))).toEqual({
        status: 400,
        Code: 'InvalidArgument',
        Message: 'Invalid version id specified',
        ArgumentName: 'versionId',
        ArgumentValue: id,
      })
      const removed = await service.ask(`DELETE /${bucket}/k?versionId=null`)
      expect([removed.status, removed.headers['x-amz-version-id']]).toEqual([204, undefined])
    },
  ],
])

recorded('versions and delete markers', [
  [
    'behind a marker there is NoSuchKey, which names the key and the marker',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      await service.put(`/${bucket}/k`)
      const marker = (await service.ask(`DELETE /${bucket}/k`)).headers['x-amz-version-id']
      const got = await service.ask(`GET /${bucket}/k`)
      expect(errorOf(got)).toEqual({
        status: 404,
        Code: 'NoSuchKey',
        Message: 'The specified key does not exist.',
        Key: 'k',
      })
      expect(got.headers).toMatchObject({ 'x-amz-delete-marker': 'true', 'x-amz-version-id': marker })
    },
  ],
  [
    'a marker by its id is 405 with its headers, GET and HEAD',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const marker = (await service.ask(`DELETE /${bucket}/k`)).headers['x-amz-version-id']
      const headers = { 'x-amz-delete-marker': 'true', 'last-modified': expect.stringMatching(/ GMT$/) }
      const got = await service.ask(`GET /${bucket}/k?versionId=${marker}`)
      expect(errorOf(got)).toEqual({
        status: 405,
        Code: 'MethodNotAllowed',
        Message: notAllowed,
        Method: 'GET',
        ResourceType: 'DeleteMarker',
      })
      expect(got.headers).toMatchObject(headers)
      const head = await service.ask(`HEAD /${bucket}/k?versionId=${marker}`)
      expect([head.status, head.text]).toEqual([405, ''])
      expect(head.headers).toMatchObject(headers)
    },
  ],
  [
    'an id that is gone or another’s is NoSuchVersion; one that is none is InvalidArgument',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const { versionId = '' } = await service.put(`/${bucket}/k`)
      expectStatus(await service.ask(`DELETE /${bucket}/k?versionId=${versionId}`), 204)
      for (const id of [versionId, await unknownId(service)]) {
        expect(errorOf(await service.ask(`GET /${bucket}/k?versionId=${id}`))).toEqual({
          status: 404,
          Code: 'NoSuchVersion',
          Message: 'The specified version does not exist.',
          Key: 'k',
          VersionId: id,
        })
      }
      for (const method of ['GET', 'DELETE']) {
        expect(errorOf(await service.ask(`${method} /${bucket}/k?versionId=nonsense`))).toEqual({
          status: 400,
          Code: 'InvalidArgument',
          Message: 'Invalid version id specified',
          ArgumentName: 'versionId',
          ArgumentValue: 'nonsense',
        })
      }
    },
  ],
  [
    'deleting an id that is not there succeeds and echoes it',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const id = await unknownId(service)
      const { status, headers } = await service.ask(`DELETE /${bucket}/k?versionId=${id}`)
      expect([status, headers['x-amz-version-id']]).toEqual([204, id])
      expect((await service.list(bucket)).all('DeleteMarker')).toEqual([])
    },
  ],
  [
    'deleting an absent key names no version without versioning, and adds a marker each time with it',
    async (service) => {
      const plain = (await service.ask(`DELETE /${await service.bucket()}/k`)).headers
      expect([plain['x-amz-delete-marker'], plain['x-amz-version-id']]).toEqual([undefined, undefined])
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const made = []
      for (const _ of [1, 2]) made.unshift((await service.ask(`DELETE /${bucket}/k`)).headers['x-amz-version-id'])
      const listed = (await service.list(bucket)).all('DeleteMarker').map((marker) => marker.get('VersionId'))
      expect(listed).toEqual(made)
    },
  ],
  [
    'removing a marker is reported and restores what it hid; removing a version names it',
    async (service, dialect) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const { versionId } = await service.put(`/${bucket}/k`, 'here')
      const marker = (await service.ask(`DELETE /${bucket}/k`)).headers['x-amz-version-id']
      const undone = await service.ask(`DELETE /${bucket}/k?versionId=${marker}`)
      expect(undone.headers).toMatchObject({ 'x-amz-delete-marker': 'true', 'x-amz-version-id': marker })
      expect((await service.list(bucket)).all('Version')[0]?.get('IsLatest')).toBe('true')
      const { headers } = await service.ask(`DELETE /${bucket}/k?versionId=${versionId}`)
      expect(headers['x-amz-version-id']).toBe(versionId)
      expect(headers['x-amz-delete-marker']).toBe(dialect === 'aws' ? undefined : 'false')
    },
  ],
  [
    'deletes with versioning never remove version null',
    async (service) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/k`, 'before')
      await service.setVersioning(bucket, 'Enabled')
      expectStatus(await service.ask(`DELETE /${bucket}/k`), 204)
      expect((await service.ask(`GET /${bucket}/k?versionId=null`)).text).toBe('before')
    },
  ],
  [
    'a bucket with versions or markers is refused as not empty',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const { versionId } = await service.put(`/${bucket}/k`)
      const marker = (await service.ask(`DELETE /${bucket}/k`)).headers['x-amz-version-id']
      const left = {
        status: 409,
        Code: 'BucketNotEmpty',
        Message: 'The bucket you tried to delete is not empty. You must delete all versions in the bucket.',
        BucketName: bucket,
      }
      expect(errorOf(await service.ask(`DELETE /${bucket}`))).toEqual(left)
      await service.ask(`DELETE /${bucket}/k?versionId=${versionId}`)
      expect(errorOf(await service.ask(`DELETE /${bucket}`))).toEqual(left)
      await service.ask(`DELETE /${bucket}/k?versionId=${marker}`)
      expectStatus(await service.ask(`DELETE /${bucket}`), 204)
    },
  ],
  [
    'a delete has If-Match; by size and by time it is not implemented, which names the header',
    async (service) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/k`)
      const remove = async (headers: Readonly<Record<string, string>>) =>
        errorOf(await service.ask(`DELETE /${bucket}/k`, { headers }))
      expect(await remove({ 'if-match': '"no"' })).toEqual({
        status: 412,
        Code: 'PreconditionFailed',
        Message: 'At least one of the pre-conditions you specified did not hold',
        Condition: 'If-Match',
      })
      for (const [name, value] of [
        ['x-amz-if-match-size', '1'],
        ['x-amz-if-match-last-modified-time', 'Wed, 21 Oct 2026 07:28:00 GMT'],
      ] as const) {
        expect(await remove({ [name]: value })).toEqual({
          status: 501,
          Code: 'NotImplemented',
          Message: 'A header you provided implies functionality that is not implemented',
          Header: name,
        })
      }
      expectStatus(await service.ask(`GET /${bucket}/k`), 200)
    },
  ],
])

recorded('the access control list of a delete marker', [
  [
    'it cannot be set, and is read of no key, or of no marker by its id',
    async (service) => {
      const bucket = service.name()
      expectStatus(await service.ask(`PUT /${bucket}`, { headers: { 'x-amz-object-ownership': 'ObjectWriter' } }), 200)
      await service.setVersioning(bucket, 'Enabled')
      await service.put(`/${bucket}/k`)
      const marker = (await service.ask(`DELETE /${bucket}/k`)).headers['x-amz-version-id']
      const refused = (Method: string) => ({
        status: 405,
        Code: 'MethodNotAllowed',
        Message: notAllowed,
        Method,
        ResourceType: 'DeleteMarker',
      })
      for (const place of [`/${bucket}/k?acl`, `/${bucket}/k?acl&versionId=${marker}`]) {
        const put = await service.ask(`PUT ${place}`, { headers: { 'x-amz-acl': 'private' } })
        expect(errorOf(put), place).toEqual(refused('PUT'))
      }
      expect(errorOf(await service.ask(`GET /${bucket}/k?acl`))).toEqual({
        status: 404,
        Code: 'NoSuchKey',
        Message: 'The specified key does not exist.',
        Key: 'k',
      })
      expect(errorOf(await service.ask(`GET /${bucket}/k?acl&versionId=${marker}`))).toEqual(refused('GET'))
    },
  ],
])

recorded(
  'annotations of delete markers',
  (['tagging', 'retention', 'legal-hold'] as const).map(
    (subresource) =>
      [
        `the ${subresource} of a marker is 405 by its id`,
        async (service: TestService) => {
          const bucket = service.name()
          const headers = { 'x-amz-bucket-object-lock-enabled': 'true' }
          expectStatus(await service.ask(`PUT /${bucket}`, { headers }), 200)
          await service.put(`/${bucket}/k`)
          const marker = (await service.ask(`DELETE /${bucket}/k`)).headers['x-amz-version-id']
          const got = await service.ask(`GET /${bucket}/k?${subresource}&versionId=${marker}`)
          expect(errorOf(got)).toEqual({
            status: 405,
            Code: 'MethodNotAllowed',
            Message: notAllowed,
            Method: 'GET',
            ResourceType: 'DeleteMarker',
          })
        },
      ] as const,
  ),
)
