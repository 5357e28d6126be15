/** The first two chapters of the service description: what the service does, and its resources and their fields. */
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { expectStatus, partBytesMin, refusal } from '../support/test-service.ts'
import { sentences } from '../support/sentences.ts'

const md5 = (text: string | Uint8Array) => createHash('md5').update(text).digest('hex')
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

sentences('1 What the service does', [
  [
    'stores objects in buckets over an HTTP interface',
    async (service) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/a`, 'stored')
      expect((await service.ask(`GET /${bucket}/a`)).text).toBe('stored')
    },
  ],
  [
    'the bucket namespace is shared by all users of the system',
    async (service) => {
      const bucket = await service.bucket({ as: 'ann' })
      const answer = await service.ask(`PUT /${bucket}`, { as: 'bob' })
      expect(refusal(answer)).toEqual([409, 'BucketAlreadyExists'])
    },
  ],
  [
    'an object is identified by a key within a bucket',
    async (service) => {
      const [one, two] = [await service.bucket(), await service.bucket()]
      const paths = [`/${one}/a`, `/${one}/b`, `/${one}/A`, `/${two}/a`]
      for (const path of paths) await service.put(path)
      for (const path of paths) expect((await service.ask(`GET ${path}`)).text).toBe(path)
    },
  ],
  [
    'a bucket can keep several versions of an object, according to its versioning state',
    async (service) => {
      const kept = async (bucket: string) => {
        for (const body of ['one', 'two']) await service.put(`/${bucket}/a`, body)
        return (await service.list(bucket)).all('Version').length
      }
      expect(await kept(await service.bucket())).toBe(1)
      expect(await kept(await service.bucket({ versioning: 'Enabled' }))).toBe(2)
      expect(await kept(await service.bucket({ versioning: 'Suspended' }))).toBe(1)
    },
  ],
  [
    'removing an object from a versioned bucket can add a delete marker instead of erasing data',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const { versionId } = await service.put(`/${bucket}/a`, 'kept')
      await service.ask(`DELETE /${bucket}/a`)
      expect((await service.ask(`GET /${bucket}/a`)).status).toBe(404)
      expect((await service.ask(`GET /${bucket}/a?versionId=${versionId}`)).text).toBe('kept')
    },
  ],
  [
    'large objects are uploaded as numbered parts, assembled into one object by a completion call',
    async (service) => {
      const bucket = await service.bucket()
      const first = Buffer.alloc(partBytesMin, 'first part ')
      const upload = await service.upload(`/${bucket}/large`, { 1: first, 2: 'second part' })
      expect((await service.ask(`GET /${bucket}/large`)).status).toBe(404)
      expectStatus(await upload.complete(), 200)
      const whole = Buffer.concat([first, Buffer.from('second part')])
      expect(md5((await service.ask(`GET /${bucket}/large`)).body)).toBe(md5(whole))
    },
  ],
  [
    'covers CreateBucket, DeleteBucket, GetBucketLocation, PutBucketVersioning, ListObjectVersions, DeleteObject, CompleteMultipartUpload',
    async (service) => {
      const bucket = service.name()
      expectStatus(await service.ask(`PUT /${bucket}`), 200)
      expectStatus(await service.ask(`GET /${bucket}?location`), 200)
      await service.setVersioning(bucket, 'Suspended')
      const upload = await service.upload(`/${bucket}/a`, { 1: 'a' })
      expectStatus(await upload.complete(), 200)
      expect((await service.list(bucket)).all('Version')).toHaveLength(1)
      expectStatus(await service.ask(`DELETE /${bucket}/a?versionId=null`), 204)
      expectStatus(await service.ask(`DELETE /${bucket}`), 204)
    },
  ],
  [
    'addresses buckets by the path /{Bucket} and objects by /{Bucket}/{Key}',
    async (service) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/a/b/c`, 'deep')
      expect((await service.list(bucket)).all('Version').map((version) => version.get('Key'))).toEqual(['a/b/c'])
    },
  ],
])

sentences('2.1 Bucket', [
  [
    'the name is unique across all users of the system and appears in the path',
    async (service) => {
      const bucket = await service.bucket({ as: 'ann' })
      expect(refusal(await service.ask(`PUT /${bucket}`, { as: 'bob' }))).toEqual([409, 'BucketAlreadyExists'])
      expect((await service.list(bucket)).get('Name')).toBe(bucket)
    },
  ],
  [
    'region: returned by GetBucketLocation; the only value shown is eu',
    async (service) => {
      const bucket = await service.bucket()
      expect((await service.ask(`GET /${bucket}?location`)).xml().text).toBe('eu')
    },
  ],
  [
    'versioning state: none (never set), Enabled or Suspended',
    async (service) => {
      const bucket = await service.bucket()
      const state = async () => (await service.ask(`GET /${bucket}?versioning`)).xml().get('Status')
      expect(await state()).toBeUndefined()
      await service.setVersioning(bucket, 'Enabled')
      expect(await state()).toBe('Enabled')
      await service.setVersioning(bucket, 'Suspended')
      expect(await state()).toBe('Suspended')
    },
  ],
])

sentences('2.2 Object version', [
  [
    'Key has at least one character',
    async (service) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/k`)
      expect((await service.list(bucket)).all('Version').map((version) => version.get('Key'))).toEqual(['k'])
    },
  ],
  [
    'VersionId is unique per version when versioning is Enabled',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      for (const key of ['a', 'a', 'b', 'b', 'a']) await service.put(`/${bucket}/${key}`)
      const ids = (await service.list(bucket)).all('Version').map((version) => version.get('VersionId'))
      expect(ids).not.toContain('null')
      expect(ids).not.toContain(undefined)
      expect(new Set(ids).size).toBe(5)
    },
  ],
  [
    'VersionId is the literal null when the object was added while versioning is Suspended',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Suspended' })
      await service.put(`/${bucket}/a`)
      expect((await service.list(bucket)).all('Version')[0]?.get('VersionId')).toBe('null')
    },
  ],
  [
    'IsLatest is true when this is the current version of the key, and of no other',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const made = [await service.put(`/${bucket}/a`, '1'), await service.put(`/${bucket}/a`, '2')]
      const latest = (await service.list(bucket)).all('Version').map((v) => [v.get('VersionId'), v.get('IsLatest')])
      expect(latest).toEqual([
        [made[1]?.versionId, 'true'],
        [made[0]?.versionId, 'false'],
      ])
    },
  ],
  [
    'LastModified is ISO 8601, UTC, with milliseconds',
    async (service) => {
      const bucket = await service.bucket()
      const before = Date.now()
      await service.put(`/${bucket}/a`)
      const time = (await service.list(bucket)).all('Version')[0]?.get('LastModified') ?? ''
      expect(time).toMatch(timestamp)
      expect(Date.parse(time)).toBeGreaterThanOrEqual(Math.floor(before / 1000) * 1000)
      expect(Date.parse(time)).toBeLessThanOrEqual(Date.now())
    },
  ],
  [
    'ETag is the one the upload was answered with',
    async (service) => {
      const bucket = await service.bucket()
      const { etag } = await service.put(`/${bucket}/a`)
      expect(etag).toMatch(/^".+"$/)
      expect((await service.list(bucket)).all('Version')[0]?.get('ETag')).toBe(etag)
    },
  ],
  [
    'Size is the object size',
    async (service) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/empty`, '')
      await service.put(`/${bucket}/three`, '\u20ac')
      expect((await service.list(bucket)).all('Version').map((v) => v.get('Size'))).toEqual(['0', '3'])
    },
  ],
])

sentences('2.3 Delete marker', [
  [
    'has Key, VersionId, IsLatest, LastModified, and neither ETag nor Size',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      await service.put(`/${bucket}/a`)
      await service.ask(`DELETE /${bucket}/a`)
      const [marker] = (await service.list(bucket)).all('DeleteMarker')
      expect(marker?.get('Key')).toBe('a')
      expect(marker?.get('VersionId')).toMatch(/\S/)
      expect(marker?.get('LastModified')).toMatch(timestamp)
      expect(marker?.get('IsLatest')).toBe('true')
      expect(marker?.get('ETag')).toBeUndefined()
      expect(marker?.get('Size')).toBeUndefined()
    },
  ],
  [
    'becomes the current version of its key when created',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      await service.put(`/${bucket}/a`)
      await service.ask(`DELETE /${bucket}/a`)
      expect((await service.list(bucket)).all('Version')[0]?.get('IsLatest')).toBe('false')
      expect((await service.ask(`GET /${bucket}/a`)).status).toBe(404)
    },
  ],
])

sentences('2.4 Common prefix', [
  [
    'has one field, Prefix',
    async (service) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/a/b`)
      const [prefix] = (await service.list(bucket, 'delimiter=/')).all('CommonPrefixes')
      expect(prefix?.children.map((child) => [child.name, child.text])).toEqual([['Prefix', 'a/']])
    },
  ],
  [
    'runs from the start of the key, past the request prefix, up to and including the first delimiter',
    async (service) => {
      const bucket = await service.bucket()
      for (const key of ['photos/2006/may/a', 'photos/2006/b', 'photos/2007/c']) await service.put(`/${bucket}/${key}`)
      const listing = await service.list(bucket, 'delimiter=/&prefix=photos/')
      expect(listing.all('CommonPrefixes').map((p) => p.get('Prefix'))).toEqual(['photos/2006/', 'photos/2007/'])
      expect(listing.all('Version')).toEqual([])
    },
  ],
])

sentences('2.5 Multipart upload and completed part', [
  [
    'an upload is identified by an upload ID, passed as the query parameter uploadId',
    async (service) => {
      const bucket = await service.bucket()
      const [one, two] = [
        await service.upload(`/${bucket}/a`, { 1: 'one' }),
        await service.upload(`/${bucket}/a`, { 1: 'two' }),
      ]
      expect(one.uploadId).not.toBe(two.uploadId)
      expectStatus(await two.complete(), 200)
      expect((await service.ask(`GET /${bucket}/a`)).text).toBe('two')
      expectStatus(await one.complete(), 200)
      expect((await service.ask(`GET /${bucket}/a`)).text).toBe('one')
    },
  ],
  [
    'each uploaded part has a PartNumber and an ETag, known when the part was uploaded',
    async (service) => {
      const bucket = await service.bucket()
      const { uploadId, etags } = await service.upload(`/${bucket}/a`, { 3: 'three', 7: 'seven' })
      const parts = (await service.ask(`GET /${bucket}/a?uploadId=${uploadId}`)).xml().all('Part')
      expect(parts.map((part) => [part.get('PartNumber'), part.get('ETag')])).toEqual([
        ['3', etags.get(3)],
        ['7', etags.get(7)],
      ])
    },
  ],
])

sentences('2.6 Newly created object', [
  [
    'Location is a URI identifying the new object',
    async (service) => {
      const bucket = await service.bucket()
      const upload = await service.upload(`/${bucket}/a%20b/%C3%A9`, { 1: 'x' })
      const location = (await upload.complete()).xml().get('Location') ?? ''
      expect(location).toBe(`http://${service.server.host}/${bucket}/a%20b/%C3%A9`)
      expect((await service.ask(`GET ${new URL(location).pathname}`)).text).toBe('x')
    },
  ],
  [
    'Bucket and Key name the object; Key may be one character long',
    async (service) => {
      const bucket = await service.bucket()
      const result = (await (await service.upload(`/${bucket}/k`, { 1: 'x' })).complete()).xml()
      expect([result.get('Bucket'), result.get('Key')]).toEqual([bucket, 'k'])
    },
  ],
  [
    'ETag may or may not be an MD5 of the data; if not, it has other than 32 hexadecimal digits, or other characters',
    async (service) => {
      const bucket = await service.bucket()
      const result = (await (await service.upload(`/${bucket}/a`, { 1: 'data' })).complete()).xml()
      const { etag } = await service.put(`/${bucket}/b`, 'data')
      for (const text of [result.get('ETag') ?? '', etag]) {
        const bare = text.replaceAll('"', '')
        expect(bare).not.toBe('')
        if (bare !== md5('data')) expect(bare).not.toMatch(/^[0-9a-f]{32}$/i)
      }
    },
  ],
  [
    'different data gives different ETags',
    async (service) => {
      const bucket = await service.bucket()
      const seen = new Set<string>()
      for (const body of ['', 'a', 'b', 'ab', 'ba']) {
        seen.add((await service.put(`/${bucket}/put`, body)).etag)
        const done = await (await service.upload(`/${bucket}/assembled`, { 1: body })).complete()
        seen.add(done.xml().get('ETag') ?? '')
      }
      expect(seen.size).toBe(10)
    },
  ],
])
