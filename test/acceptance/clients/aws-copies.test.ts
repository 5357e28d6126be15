/** Copies and deletions of many objects, as @aws-sdk/client-s3 requests them. */
import {
  CopyObjectCommand,
  type CopyObjectCommandInput,
  type CopyObjectCommandOutput,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  type DeleteObjectsCommandOutput,
  ListObjectsV2Command,
  type ObjectIdentifier,
} from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { bytes, inBothDialects, md5, MiB, refusal, refused, type Session, setVersioning, sha256 } from './session.ts'

type Copy = (
  CopySource: string,
  Bucket: string,
  Key: string,
  more?: Partial<CopyObjectCommandInput>,
) => Promise<CopyObjectCommandOutput>

const copier =
  ({ s3 }: Session): Copy =>
  (CopySource, Bucket, Key, more = {}) =>
    s3.send(new CopyObjectCommand({ CopySource, Bucket, Key, ...more }))

const described = {
  CacheControl: 'no-store',
  ContentDisposition: 'inline',
  ContentEncoding: 'gzip',
  ContentLanguage: 'nl',
  ContentType: 'image/x-odd',
  Metadata: { colour: 'blue' },
} as const

const past = new Date(0)

/** Conditions on the source, made of its ETag and date, and whether the copy is made. */
const conditions: readonly (readonly [(etag: string, date: Date) => Partial<CopyObjectCommandInput>, made: boolean])[] =
  [
    [(CopySourceIfMatch) => ({ CopySourceIfMatch }), true],
    [() => ({ CopySourceIfMatch: '"no"' }), false],
    [() => ({ CopySourceIfNoneMatch: '"no"' }), true],
    [(CopySourceIfNoneMatch) => ({ CopySourceIfNoneMatch }), false],
    [() => ({ CopySourceIfModifiedSince: past }), true],
    [(_, CopySourceIfModifiedSince) => ({ CopySourceIfModifiedSince }), false],
    [(_, CopySourceIfUnmodifiedSince) => ({ CopySourceIfUnmodifiedSince }), true],
    [() => ({ CopySourceIfUnmodifiedSince: past }), false],
    [(CopySourceIfMatch) => ({ CopySourceIfMatch, CopySourceIfUnmodifiedSince: past }), true],
    [(CopySourceIfNoneMatch) => ({ CopySourceIfNoneMatch, CopySourceIfModifiedSince: past }), false],
  ]

inBothDialects('@aws-sdk/client-s3: copies', [
  [
    'a copy has the bytes and the headers of its source, in the same bucket and in another',
    async (session) => {
      const { bucket, put, get } = session
      const copy = copier(session)
      const [from, to] = [await bucket(), await bucket()]
      const data = bytes(300_000)
      await put(from, 'k', data, described)
      for (const Bucket of [from, to]) {
        const { CopyObjectResult, VersionId, CopySourceVersionId } = await copy(`${from}/k`, Bucket, 'copy')
        expect(CopyObjectResult?.ETag).toBe(`"${md5(data)}"`)
        expect([VersionId, CopySourceVersionId]).toEqual([undefined, undefined])
        const got = await get(Bucket, 'copy')
        expect(sha256(got.bytes)).toBe(sha256(data))
        expect(got).toMatchObject(described)
        expect(Math.floor((CopyObjectResult?.LastModified?.getTime() ?? 0) / 1000)).toBe(
          (got.LastModified?.getTime() ?? 0) / 1000,
        )
      }
    },
  ],
  [
    '13 MiB are copied whole, and outlive their source',
    async (session) => {
      const { bucket, put, get, s3 } = session
      const Bucket = await bucket()
      const data = bytes(13 * MiB)
      await put(Bucket, 'k', data)
      await copier(session)(`${Bucket}/k`, Bucket, 'copy')
      await s3.send(new DeleteObjectCommand({ Bucket, Key: 'k' }))
      expect(sha256((await get(Bucket, 'copy')).bytes)).toBe(sha256(data))
    },
  ],
  [
    'REPLACE takes the headers of the request and none of the source’s',
    async (session) => {
      const { bucket, put, get } = session
      const Bucket = await bucket()
      await put(Bucket, 'k', 'x', described)
      const MetadataDirective = 'REPLACE' as const
      await copier(session)(`${Bucket}/k`, Bucket, 'copy', {
        MetadataDirective,
        ContentType: 'text/new',
        Metadata: { shape: 'round' },
      })
      const got = await get(Bucket, 'copy')
      expect([got.ContentType, got.Metadata]).toEqual(['text/new', { shape: 'round' }])
      expect([got.CacheControl, got.ContentEncoding]).toEqual([undefined, undefined])
      await copier(session)(`${Bucket}/k`, Bucket, 'kept', { MetadataDirective: 'COPY', ContentType: 'text/new' })
      expect((await get(Bucket, 'kept')).ContentType).toBe('image/x-odd')
    },
  ],
  [
    'an object is copied onto itself only to change something, and keeps its bytes',
    async (session) => {
      const { bucket, put, get, s3 } = session
      const copy = copier(session)
      for (const versioning of [undefined, 'Suspended'] as const) {
        const Bucket = await bucket()
        const data = new Map([
          ['small', bytes(10)],
          ['large', bytes(3 * MiB)],
        ])
        for (const [Key, body] of data) await put(Bucket, Key, body, { Metadata: { a: '1' } })
        if (versioning !== undefined) await setVersioning(s3, Bucket, versioning)
        for (const Key of data.keys()) {
          expect(await refusal(copy(`${Bucket}/${Key}`, Bucket, Key))).toEqual(['InvalidRequest', 400])
          for (const b of ['1', '2', '3']) {
            await copy(`${Bucket}/${Key}`, Bucket, Key, { MetadataDirective: 'REPLACE', Metadata: { b } })
          }
        }
        await put(Bucket, 'other')
        for (const [Key, body] of data) {
          const got = await get(Bucket, Key)
          expect([sha256(got.bytes), got.Metadata]).toEqual([sha256(body), { b: '3' }])
        }
      }
    },
  ],
  [
    'an older version copied onto its key is restored',
    async (session) => {
      const { bucket, put, get } = session
      const Bucket = await bucket('Enabled')
      const first = await put(Bucket, 'k', 'first')
      const second = await put(Bucket, 'k', 'second')
      const restored = await copier(session)(`${Bucket}/k?versionId=${first.VersionId}`, Bucket, 'k')
      expect(restored.CopySourceVersionId).toBe(first.VersionId)
      expect([first.VersionId, second.VersionId, undefined]).not.toContain(restored.VersionId)
      const got = await get(Bucket, 'k')
      expect([got.bytes.toString(), got.VersionId]).toEqual(['first', restored.VersionId])
    },
  ],
  [
    'an encoded ?versionId= is part of the key',
    async (session) => {
      const { bucket, put, get } = session
      const Bucket = await bucket('Enabled')
      await put(Bucket, 'k', 'not this')
      const { VersionId } = await put(Bucket, 'k?versionId=null', 'this')
      const copied = await copier(session)(`/${Bucket}/k%3FversionId%3Dnull`, Bucket, 'copy')
      expect(copied.CopySourceVersionId).toBe(VersionId)
      expect((await get(Bucket, 'copy')).bytes.toString()).toBe('this')
    },
  ],
  [
    'conditions on the source decide whether a copy is made',
    async (session) => {
      const { bucket, put, get } = session
      const Bucket = await bucket()
      const { ETag = '' } = await put(Bucket, 'k', 'x')
      const { LastModified = past } = await get(Bucket, 'k')
      const copy = copier(session)
      for (const [index, [asks, made]] of conditions.entries()) {
        const requested = asks(ETag, LastModified)
        const copied = copy(`${Bucket}/k`, Bucket, `copy-${index}`, requested)
        if (made) expect((await copied).CopyObjectResult?.ETag, JSON.stringify(requested)).toBe(ETag)
        else expect(await refusal(copied), JSON.stringify(requested)).toEqual(['PreconditionFailed', 412])
      }
    },
  ],
  [
    'conditions on the target decide as for any write',
    async (session) => {
      const { bucket, put, get } = session
      const Bucket = await bucket()
      await put(Bucket, 'k', 'new')
      const { ETag } = await put(Bucket, 'taken', 'old')
      const copy = copier(session)
      expect(await refusal(copy(`${Bucket}/k`, Bucket, 'taken', { IfNoneMatch: '*' }))).toEqual([
        'PreconditionFailed',
        412,
      ])
      expect(await refusal(copy(`${Bucket}/k`, Bucket, 'taken', { IfMatch: '"no"' }))).toEqual([
        'PreconditionFailed',
        412,
      ])
      expect((await get(Bucket, 'taken')).bytes.toString()).toBe('old')
      await copy(`${Bucket}/k`, Bucket, 'taken', { IfMatch: ETag })
      await copy(`${Bucket}/k`, Bucket, 'free', { IfNoneMatch: '*' })
      expect((await get(Bucket, 'taken')).bytes.toString()).toBe('new')
    },
  ],
  [
    'what cannot be copied is refused by name',
    async (session) => {
      const { bucket, put, s3, name, client } = session
      const Bucket = await bucket('Enabled')
      await put(Bucket, 'k')
      const marker = await s3.send(new DeleteObjectCommand({ Bucket, Key: 'gone' }))
      const copy = copier(session)
      const refusals: readonly (readonly [source: string, refusal: readonly [string, number]])[] = [
        [`${Bucket}/absent`, ['NoSuchKey', 404]],
        [`${Bucket}/gone`, ['NoSuchKey', 404]],
        [`${Bucket}/gone?versionId=${marker.VersionId}`, ['InvalidRequest', 400]],
        [`${Bucket}/k?versionId=nonsense`, ['InvalidArgument', 400]],
        [`${Bucket}/k?versionId=${marker.VersionId}`, ['NoSuchVersion', 404]],
        [`${name()}/k`, ['NoSuchBucket', 404]],
        ['nothing', ['InvalidArgument', 400]],
        [`${Bucket}/%zz`, ['InvalidArgument', 400]],
      ]
      for (const [source, expected] of refusals) {
        expect(await refusal(copy(source, Bucket, 'copy')), source).toEqual(expected)
      }
      expect(await refusal(copy(`${Bucket}/k`, name(), 'copy'))).toEqual(['NoSuchBucket', 404])
      const byAnn = client({ as: 'ann' }).send(new CopyObjectCommand({ Bucket, Key: 'c', CopySource: `${Bucket}/k` }))
      expect(await refusal(byAnn)).toEqual(['AccessDenied', 403])
    },
  ],
])

type Delete = (Objects: ObjectIdentifier[], Quiet?: boolean) => Promise<DeleteObjectsCommandOutput>

const deleter =
  ({ s3 }: Session, Bucket: string): Delete =>
  (Objects, Quiet) =>
    s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet } }))

inBothDialects('@aws-sdk/client-s3: deleting many', [
  [
    'the named keys are deleted, missing ones count as deleted, and the rest stay',
    async (session) => {
      const { bucket, put, s3 } = session
      const Bucket = await bucket()
      for (const key of ['a', 'b', 'c']) await put(Bucket, key)
      const { Deleted, Errors } = await deleter(session, Bucket)([{ Key: 'a' }, { Key: 'never' }, { Key: 'c' }])
      expect(Deleted).toEqual([{ Key: 'a' }, { Key: 'never' }, { Key: 'c' }])
      expect(Errors).toBeUndefined()
      const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket }))
      expect(Contents?.map(({ Key }) => Key)).toEqual(['b'])
    },
  ],
  [
    'quiet mode reports only failures',
    async (session) => {
      const { bucket, put, s3 } = session
      const Bucket = await bucket('Enabled')
      await put(Bucket, 'a')
      const quiet = await deleter(session, Bucket)([{ Key: 'a' }, { Key: 'a', VersionId: 'nonsense' }], true)
      expect(quiet.Deleted).toBeUndefined()
      expect(quiet.Errors).toEqual([
        { Key: 'a', VersionId: 'nonsense', Code: 'NoSuchVersion', Message: expect.stringMatching(/\S/) },
      ])
      expect((await s3.send(new ListObjectsV2Command({ Bucket }))).KeyCount).toBe(0)
    },
  ],
  [
    'with versioning it reports which delete markers were made and which removed',
    async (session) => {
      const { bucket, put, get } = session
      const Bucket = await bucket('Enabled')
      const { VersionId } = await put(Bucket, 'a')
      const remove = deleter(session, Bucket)
      const twice = await remove([{ Key: 'a' }, { Key: 'a' }])
      const markers = twice.Deleted?.map(({ DeleteMarkerVersionId }) => DeleteMarkerVersionId) ?? []
      expect(twice.Deleted).toEqual(
        markers.map((DeleteMarkerVersionId) => ({ Key: 'a', DeleteMarker: true, DeleteMarkerVersionId })),
      )
      expect(new Set([...markers, VersionId]).size).toBe(3)
      const undone = await remove(markers.map((marker) => ({ Key: 'a', VersionId: marker })))
      expect(undone.Deleted).toEqual(
        markers.map((marker) => ({ Key: 'a', VersionId: marker, DeleteMarker: true, DeleteMarkerVersionId: marker })),
      )
      expect((await get(Bucket, 'a')).VersionId).toBe(VersionId)
      expect((await remove([{ Key: 'a', VersionId }])).Deleted).toEqual([{ Key: 'a', VersionId }])
      expect(await refusal(get(Bucket, 'a'))).toEqual(['NoSuchKey', 404])
    },
  ],
  [
    'an ETag that is not the object’s keeps it',
    async (session) => {
      const { bucket, put, get } = session
      const Bucket = await bucket()
      const { ETag } = await put(Bucket, 'a')
      const remove = deleter(session, Bucket)
      const kept = await remove([{ Key: 'a', ETag: '"no"' }])
      expect(kept.Errors?.map(({ Key, Code }) => [Key, Code])).toEqual([['a', 'PreconditionFailed']])
      expect((await get(Bucket, 'a')).bytes.toString()).toBe('a')
      expect((await remove([{ Key: 'a', ETag }])).Deleted).toEqual([{ Key: 'a' }])
    },
  ],
  [
    'a thousand are deleted in one request; a thousand and one are refused and stay',
    async (session) => {
      const { bucket, put, get } = session
      const Bucket = await bucket()
      await put(Bucket, 'key-7')
      const remove = deleter(session, Bucket)
      const keys = Array.from({ length: 1000 }, (_, number) => ({ Key: `key-${number}` }))
      expect(await refusal(remove([...keys, { Key: 'one more' }]))).toEqual(['MalformedXML', 400])
      expect((await get(Bucket, 'key-7')).bytes.toString()).toBe('key-7')
      expect((await remove(keys)).Deleted).toEqual(keys)
      expect(await refusal(get(Bucket, 'key-7'))).toEqual(['NoSuchKey', 404])
      expect(await refusal(remove([]))).toEqual(['MalformedXML', 400])
    },
  ],
  [
    'a missing bucket is reported once',
    async (session) => {
      expect(await refusal(deleter(session, session.name())([{ Key: 'a' }]))).toEqual(['NoSuchBucket', 404])
      const denied = session.client({ as: 'ann' })
      const Bucket = await session.bucket()
      const answer = await denied.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'a' }] } }))
      expect(answer.Errors?.map(({ Key, Code }) => [Key, Code])).toEqual([['a', 'AccessDenied']])
      expect(await refused(session.get(Bucket, 'a'))).toMatchObject({ name: 'NoSuchKey' })
    },
  ],
])
