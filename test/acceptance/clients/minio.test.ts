/** Sessions of `minio`, with what it finds out by itself: region, part sizes, pages. */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { CopyConditions, CopyDestinationOptions, CopySourceOptions } from 'minio'
import { expect } from 'vitest'
import { oddKeys } from './odd-keys.ts'
import { byBytes, bytes, inBothDialects, type Kept, md5, MiB, minioRefusal, type Session, sha256 } from './session.ts'

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

const read = async (body: Promise<Readable>) => Buffer.concat((await all(await body)) as Buffer[])

/** In pieces of an odd size, as a network has them. */
const pieces = (data: Buffer) =>
  Readable.from(
    (function* () {
      for (let at = 0; at < data.length; at += 65_521) yield data.subarray(at, at + 65_521)
    })(),
  )

type Put = (session: Session, bucket: string, key: string, data: Buffer) => Promise<{ readonly etag: string }>

async function scratchFile({ server, name }: Session, data: Buffer): Promise<string> {
  const path = join(server.dir, `${name()}.scratch`)
  await writeFile(path, data)
  return path
}

/** Ways to put an object, how large, and whether the client then sends it in parts. */
const puts: readonly (readonly [way: string, size: number, inParts: boolean, put: Put])[] = [
  ['a small Buffer', 1000, false, ({ minio }, bucket, key, data) => minio.putObject(bucket, key, data)],
  ['an empty Buffer', 0, false, ({ minio }, bucket, key, data) => minio.putObject(bucket, key, data)],
  [
    'a stream of known size',
    70_000,
    false,
    ({ minio }, bucket, key, data) => minio.putObject(bucket, key, pieces(data), data.length),
  ],
  [
    'a stream of unknown size',
    70_000,
    true,
    ({ minio }, bucket, key, data) => minio.putObject(bucket, key, pieces(data)),
  ],
  ['a Buffer of 6 MiB', 6 * MiB, false, ({ minio }, bucket, key, data) => minio.putObject(bucket, key, data)],
  [
    'a stream of 11 MiB and some in parts',
    11 * MiB + 7,
    true,
    ({ minioClient }, bucket, key, data) =>
      minioClient({ partSize: 5 * MiB }).putObject(bucket, key, pieces(data), data.length),
  ],
  [
    'a stream of 11 MiB of unknown size in parts',
    11 * MiB,
    true,
    ({ minioClient }, bucket, key, data) => minioClient({ partSize: 5 * MiB }).putObject(bucket, key, pieces(data)),
  ],
  [
    'a small file',
    5000,
    false,
    async (session, bucket, key, data) => session.minio.fPutObject(bucket, key, await scratchFile(session, data)),
  ],
  [
    'a file of 13 MiB in parts',
    13 * MiB,
    true,
    async (session, bucket, key, data) =>
      session.minioClient({ partSize: 5 * MiB }).fPutObject(bucket, key, await scratchFile(session, data)),
  ],
]

const tree = ['a', 'a b', 'dir/1', 'dir/2', 'dir/sub/3', 'dir+/x', 'other/4', 'ünï/ç', '😀']

inBothDialects('minio', [
  [
    'a bucket is made, found, listed and removed',
    async ({ minio, name, dialect }) => {
      const bucket = name()
      expect(await minio.bucketExists(bucket)).toBe(false)
      await minio.makeBucket(bucket)
      expect(await minio.bucketExists(bucket)).toBe(true)
      expect((await minio.listBuckets()).map((one) => one.name)).toContain(bucket)
      expect(await minio.getBucketRegionAsync(bucket)).toBe(dialect === 'neutral' ? 'eu' : 'us-east-1')
      await minio.putObject(bucket, 'k', 'x')
      expect(await minioRefusal(minio.removeBucket(bucket))).toBe('BucketNotEmpty')
      await minio.removeObject(bucket, 'k')
      await minio.removeBucket(bucket)
      expect(await minio.bucketExists(bucket)).toBe(false)
    },
  ],
  ...puts.map(
    ([way, size, inParts, put]): Kept => [
      `${way} comes back byte for byte`,
      async (session) => {
        const { minio, bucket, server, name } = session
        const target = await bucket()
        const data = bytes(size, 5)
        const { etag } = await put(session, target, 'dir/k', data)
        if (inParts) expect(etag).toMatch(/-\d+$/)
        else expect(etag).toBe(md5(data))
        const found = await minio.statObject(target, 'dir/k')
        expect([found.size, found.etag]).toEqual([size, etag])
        expect(sha256(await read(minio.getObject(target, 'dir/k')))).toBe(sha256(data))
        const path = join(server.dir, `${name()}.scratch`)
        await minio.fGetObject(target, 'dir/k', path)
        expect((await stat(path)).size).toBe(size)
        expect(sha256(await readFile(path))).toBe(sha256(data))
        expect(await all(minio.listIncompleteUploads(target, '', true))).toEqual([])
      },
    ],
  ),
  [
    'metadata and content type are kept; a condition is kept to',
    async ({ minio, bucket }) => {
      const target = await bucket()
      await minio.putObject(target, 'k', 'x', 1, {
        'Content-Type': 'text/odd',
        'Cache-Control': 'no-store',
        'X-Amz-Meta-Colour': 'blue',
        Shape: 'round',
      })
      const { metaData } = await minio.statObject(target, 'k')
      expect(metaData).toMatchObject({
        'content-type': 'text/odd',
        'cache-control': 'no-store',
        colour: 'blue',
        shape: 'round',
      })
      const again = minio.putObject(target, 'k', 'y', 1, { 'If-None-Match': '*' })
      expect(await minioRefusal(again)).toBe('PreconditionFailed')
    },
  ],
  [
    'a piece of an object is read',
    async ({ minio, bucket }) => {
      const target = await bucket()
      await minio.putObject(target, 'ten', '0123456789')
      const piece = async (offset: number, length?: number) =>
        (await read(minio.getPartialObject(target, 'ten', offset, length))).toString()
      expect(await piece(2, 3)).toBe('234')
      expect(await piece(7)).toBe('789')
      expect(await piece(8, 100)).toBe('89')
      expect(await minioRefusal(minio.getPartialObject(target, 'ten', 10))).toBe('InvalidRange')
    },
  ],
  [
    'what is not there is refused by name',
    async ({ minio, bucket, name, minioClient }) => {
      const target = await bucket()
      expect(await minioRefusal(minio.getObject(target, 'absent'))).toBe('NoSuchKey')
      expect(await minioRefusal(minio.statObject(target, 'absent'))).toBe('NotFound')
      expect(await minioRefusal(minio.putObject(name(), 'k', 'x'))).toBe('NoSuchBucket')
      expect(await minioRefusal(all(minio.listObjectsV2(name(), '', true)))).toBe('NoSuchBucket')
      expect(await minioRefusal(minioClient({ as: 'ann' }).putObject(target, 'k', 'x'))).toBe('AccessDenied')
    },
  ],
  ...(['listObjects', 'listObjectsV2'] as const).map(
    (method): Kept => [
      `${method} streams what is there, flat or as a tree`,
      async ({ minio, bucket }) => {
        const target = await bucket()
        await Promise.all(tree.map((key) => minio.putObject(target, key, key)))
        const list = async (prefix: string, recursive: boolean) =>
          (await all(minio[method](target, prefix, recursive))).map((item) =>
            'name' in item && item.name !== undefined ? item.name : `${String(item.prefix)} (prefix)`,
          )
        expect(await list('', true)).toEqual([...tree].sort(byBytes))
        expect(await list('dir/', true)).toEqual(['dir/1', 'dir/2', 'dir/sub/3'])
        expect((await list('', false)).sort(byBytes)).toEqual(
          ['a', 'a b', 'dir/ (prefix)', 'dir+/ (prefix)', 'other/ (prefix)', 'ünï/ (prefix)', '😀'].sort(byBytes),
        )
        expect((await list('dir/', false)).sort(byBytes)).toEqual(['dir/1', 'dir/2', 'dir/sub/ (prefix)'])
        expect(await list('absent', true)).toEqual([])
      },
    ],
  ),
  [
    'listings go on over a thousand, of objects and of versions',
    async ({ minio, bucket, put }) => {
      const target = await bucket('Enabled')
      const many = Array.from({ length: 350 }, (_, number) => `key-${number % 7}-${number}`).sort(byBytes)
      const expected: string[] = []
      for (let round = 0; round < 3; round += 1) {
        const made = await Promise.all(many.map((key) => put(target, key, '')))
        expected.push(...made.map(({ VersionId }, at) => `${many[at]} ${VersionId}`))
      }
      const versions = await all(minio.listObjects(target, '', true, { IncludeVersion: true }))
      const found = versions.map((item) => `${item.name} ${'versionId' in item ? item.versionId : ''}`)
      // Numbers are what this client makes of some ids: that has a chapter of its own.
      const spelled = (entry: string) => !/ \d+$/.test(entry)
      expect(found.filter(spelled).sort(byBytes)).toEqual(expected.filter(spelled).sort(byBytes))
      expect(found).toHaveLength(expected.length)
      expect(versions.filter((item) => 'isLatest' in item && item.isLatest === true)).toHaveLength(many.length)
      expect((await all(minio.listObjectsV2(target, '', true))).map((item) => item.name)).toEqual(many)
    },
  ],
  [
    'odd keys are keys',
    async ({ minio, bucket }) => {
      const target = await bucket()
      // This client takes a leading slash away, folds dots, reads line ends of XML as its own, and writes no U+FFFF.
      const keys = oddKeys.filter((key) => !/^\/|(^|\/)\.\.?(\/|$)|[\r\n\u0085\u2028\uffff]|^\s|\s$/.test(key))
      await Promise.all(keys.map((key) => minio.putObject(target, key, `of ${key}`)))
      const bodies = await Promise.all(keys.map((key) => read(minio.getObject(target, key))))
      expect(bodies.map(String)).toEqual(keys.map((key) => `of ${key}`))
      const listed = await all(minio.listObjectsV2(target, '', true))
      expect(listed.map(({ name }) => name)).toEqual([...keys].sort(byBytes))
      await minio.removeObjects(target, keys)
      expect(await all(minio.listObjectsV2(target, '', true))).toEqual([])
    },
  ],
  [
    'uploads that were never finished are listed with their sizes, and removed',
    async ({ minio, bucket }) => {
      const target = await bucket()
      const data = bytes(MiB)
      for (const key of ['dir/a', 'dir/b', 'c']) {
        const uploadId = await minio.initiateNewMultipartUpload(target, key, {})
        const headers = { 'Content-Length': data.length }
        await minio.uploadPart(
          { bucketName: target, objectName: key, uploadID: uploadId, partNumber: 1, headers },
          data,
        )
      }
      const list = async (prefix: string, recursive: boolean) =>
        (await all(minio.listIncompleteUploads(target, prefix, recursive))).map(
          (item) => `${item.key ?? (item as unknown as { prefix: string }).prefix} ${item.size}`,
        )
      expect(await list('', true)).toEqual([`c ${MiB}`, `dir/a ${MiB}`, `dir/b ${MiB}`])
      expect((await list('', false)).sort(byBytes)).toEqual([`c ${MiB}`, 'dir/ undefined'])
      for (const key of ['dir/a', 'dir/b', 'c']) await minio.removeIncompleteUpload(target, key)
      expect(await list('', true)).toEqual([])
    },
  ],
  [
    'objects are copied, with new metadata and on condition, by either kind of call',
    async ({ minio, bucket }) => {
      const [from, to] = [await bucket(), await bucket()]
      await minio.putObject(from, 'a b+c', 'bytes', 5, { colour: 'blue' })
      const { etag } = await minio.putObject(from, 'a b c', 'bytes', 5, { colour: 'blue' })
      await minio.copyObject(to, 'plain', `/${from}/a b+c`)
      const conditions = new CopyConditions()
      conditions.setMatchETag('no')
      const refused = minio.copyObject(to, 'never', `/${from}/a b+c`, conditions)
      expect(await minioRefusal(refused)).toBe('PreconditionFailed')
      await minio.copyObject(
        // This way minio-js leaves a plus as it is, and S3 reads that as a space.
        new CopySourceOptions({ Bucket: from, Object: 'a b c', MatchETag: etag }),
        new CopyDestinationOptions({
          Bucket: to,
          Object: 'new',
          UserMetadata: { colour: 'red' },
          MetadataDirective: 'REPLACE',
        }),
      )
      for (const [key, colour] of [
        ['plain', 'blue'],
        ['new', 'red'],
      ] as const) {
        expect((await read(minio.getObject(to, key))).toString()).toBe('bytes')
        expect((await minio.statObject(to, key)).metaData['colour']).toBe(colour)
      }
      expect(await minioRefusal(minio.statObject(to, 'never'))).toBe('NotFound')
    },
  ],
  [
    'an object is composed of others',
    async ({ minio, bucket }) => {
      const target = await bucket()
      const data = [bytes(6 * MiB, 1), bytes(5 * MiB, 2), bytes(100, 3)]
      for (const [index, body] of data.entries()) await minio.putObject(target, `part ${index}`, body)
      const sources = data.map((_, index) => new CopySourceOptions({ Bucket: target, Object: `part ${index}` }))
      await minio.composeObject(new CopyDestinationOptions({ Bucket: target, Object: 'whole' }), sources)
      expect(sha256(await read(minio.getObject(target, 'whole')))).toBe(sha256(Buffer.concat(data)))
    },
  ],
  [
    'versions are kept, read and removed',
    async ({ minio, bucket }) => {
      const target = await bucket()
      expect((await minio.getBucketVersioning(target)).Status).toBeUndefined()
      await minio.setBucketVersioning(target, { Status: 'Enabled' })
      expect((await minio.getBucketVersioning(target)).Status).toBe('Enabled')
      const first = await minio.putObject(target, 'k', 'first')
      const second = await minio.putObject(target, 'k', 'second')
      await minio.removeObject(target, 'k')
      expect(await minioRefusal(minio.getObject(target, 'k'))).toBe('NoSuchKey')
      const versionId = first.versionId ?? ''
      expect((await read(minio.getObject(target, 'k', { versionId }))).toString()).toBe('first')
      expect((await minio.statObject(target, 'k', { versionId })).versionId).toBe(versionId)
      const listed = await all(minio.listObjects(target, '', true, { IncludeVersion: true }))
      const markers = listed.filter((item) => 'isDeleteMarker' in item && item.isDeleteMarker)
      expect([listed.length, markers.length]).toEqual([3, 1])
      await minio.removeObject(target, 'k', { versionId: (markers[0] as { versionId: string }).versionId })
      expect((await read(minio.getObject(target, 'k'))).toString()).toBe('second')
      await minio.removeObjects(target, [
        { name: 'k', versionId },
        { name: 'k', versionId: second.versionId ?? '' },
      ])
      expect(await all(minio.listObjects(target, '', true, { IncludeVersion: true }))).toEqual([])
      await minio.removeBucket(target)
    },
  ],
  [
    'many objects are removed in more than one request',
    async ({ minio, bucket, put }) => {
      const target = await bucket()
      await put(target, 'kept')
      await put(target, 'key 1100')
      await minio.removeObjects(
        target,
        Array.from({ length: 1101 }, (_, number) => `key ${number}`),
      )
      expect((await all(minio.listObjectsV2(target, '', true))).map(({ name }) => name)).toEqual(['kept'])
    },
  ],
  [
    'presigned URLs put, read, look at and list',
    async (session) => {
      const { minio, bucket } = session
      const target = await bucket()
      const put = await minio.presignedPutObject(target, 'dir/a b+c&d', 600)
      expect((await fetch(put, { method: 'PUT', body: 'by URL' })).status).toBe(200)
      const override = { 'response-content-type': 'text/odd' }
      const got = await fetch(await minio.presignedGetObject(target, 'dir/a b+c&d', 600, override))
      expect([await got.text(), got.headers.get('content-type')]).toEqual(['by URL', 'text/odd'])
      const head = await fetch(await minio.presignedUrl('HEAD', target, 'dir/a b+c&d'), { method: 'HEAD' })
      expect([head.status, head.headers.get('content-length')]).toEqual([200, '6'])
      const list = await fetch(await minio.presignedUrl('GET', target, '', 600, { prefix: 'dir/' }))
      expect(await list.text()).toContain('<Key>dir/a b+c&amp;d</Key>')
      const late = await minio.presignedUrl('GET', target, 'dir/a b+c&d', 1, {}, new Date(Date.now() - 5000))
      expect((await fetch(late)).status).toBe(403)
    },
  ],
  [
    'what the server has not is refused, never done otherwise',
    async (session) => {
      const { minio, bucket } = session
      const target = await bucket()
      await minio.putObject(target, 'k', 'x')
      expect(await minioRefusal(Promise.resolve(minio.getBucketReplication(target)))).toBe('NotImplemented')
      expect(await minioRefusal(minio.removeBucketReplication(target))).toBe('NotImplemented')
      expect((await read(minio.getObject(target, 'k'))).toString()).toBe('x')
      expect((await all(minio.listObjectsV2(target, '', true))).map(({ name }) => name)).toEqual(['k'])
    },
  ],
  [
    'tags, a policy and a form',
    async (session) => {
      const { minio, bucket } = session
      const target = await bucket()
      await minio.putObject(target, 'k', 'x')
      await minio.setObjectTagging(target, 'k', { a: 'b' })
      expect(await minio.getObjectTagging(target, 'k')).toEqual([{ Key: 'a', Value: 'b' }])
      await minio.removeObjectTagging(target, 'k', { versionId: '' })
      expect(await minio.getObjectTagging(target, 'k')).toEqual([])
      expect(await minioRefusal(minio.setBucketPolicy(target, '{}'))).toBe('MalformedPolicy')
      const policy = minio.newPostPolicy()
      policy.setBucket(target)
      policy.setKey('posted')
      policy.setExpires(new Date(Date.now() + 60_000))
      const { postURL, formData } = await minio.presignedPostPolicy(policy)
      const form = new FormData()
      for (const [name, value] of Object.entries(formData)) form.append(name, String(value))
      form.append('file', new Blob(['x']))
      expect((await fetch(postURL, { method: 'POST', body: form })).status).toBe(204)
      expect((await all(minio.listObjectsV2(target, '', true))).map(({ name }) => name)).toEqual(['k', 'posted'])
    },
  ],
])

inBothDialects(
  'minio: a server that minds no region in signatures',
  [
    [
      'a bucket is created in the requested region, or not at all',
      async ({ minio, minioClient, name, dialect }) => {
        const bucket = name()
        const region = dialect === 'neutral' ? 'eu' : 'eu-west-1'
        await minio.makeBucket(bucket, region)
        // A client that first has to query the region, and then signs for it.
        const other = minioClient()
        expect(await other.getBucketRegionAsync(bucket)).toBe(region)
        await other.putObject(bucket, 'k', 'x')
        expect(await minioRefusal(minio.makeBucket(name(), 'nowhere'))).toBe('InvalidLocationConstraint')
      },
    ],
  ],
  { serve: { signingRegions: 'any' } },
)
