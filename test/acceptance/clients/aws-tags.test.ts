/** Tags and storage classes with @aws-sdk/client-s3. */
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  type CopyObjectCommandInput,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectTaggingCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectTaggingCommand,
  type StorageClass,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { inBothDialects, refusal, refused, type Session } from './session.ts'

const tagsOf = async ({ s3 }: Session, Bucket: string, Key = 'k', VersionId?: string) =>
  Object.fromEntries(
    (await s3.send(new GetObjectTaggingCommand({ Bucket, Key, VersionId }))).TagSet?.map(({ Key: key, Value }) => [
      key,
      Value,
    ]) ?? [],
  )

const tag = ({ s3 }: Session, Bucket: string, tags: Readonly<Record<string, string>>, VersionId?: string) => {
  const TagSet = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))
  return s3.send(new PutObjectTaggingCommand({ Bucket, Key: 'k', VersionId, Tagging: { TagSet } }))
}

inBothDialects('@aws-sdk/client-s3: tags and storage classes', [
  [
    'tags are set, replaced and taken away, and each version has its own',
    async (session) => {
      const { s3, put } = session
      const Bucket = await session.bucket('Enabled')
      const { VersionId: old } = await put(Bucket, 'k', 'old', { Tagging: 'a=1&b=%C3%A4+%2F' })
      expect(await tagsOf(session, Bucket)).toEqual({ a: '1', b: 'ä /' })
      const { VersionId } = await put(Bucket, 'k', 'new')
      expect((await tag(session, Bucket, { z: '1', c: '2' })).VersionId).toBe(VersionId)
      const { TagSet } = await s3.send(new GetObjectTaggingCommand({ Bucket, Key: 'k' }))
      expect(TagSet?.map(({ Key }) => Key)).toEqual(['c', 'z'])
      expect((await tag(session, Bucket, { d: '3' }, old)).VersionId).toBe(old)
      expect(await tagsOf(session, Bucket, 'k', old)).toEqual({ d: '3' })
      expect((await s3.send(new HeadObjectCommand({ Bucket, Key: 'k' }))).TagCount).toBe(2)
      await s3.send(new DeleteObjectTaggingCommand({ Bucket, Key: 'k' }))
      expect(await tagsOf(session, Bucket)).toEqual({})
      expect((await session.get(Bucket, 'k')).TagCount).toBeUndefined()
      expect((await session.get(Bucket, 'k', { VersionId: old })).TagCount).toBe(1)
    },
  ],
  [
    'tags come with uploads, and copies keep, replace or leave them',
    async (session) => {
      const { s3 } = session
      const Bucket = await session.bucket()
      const ref = { Bucket, Key: 'k' }
      const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ ...ref, Tagging: 'a=1' }))
      const { ETag } = await s3.send(new UploadPartCommand({ ...ref, UploadId, PartNumber: 1, Body: 'x' }))
      const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] }
      await s3.send(new CompleteMultipartUploadCommand({ ...ref, UploadId, MultipartUpload }))
      expect(await tagsOf(session, Bucket)).toEqual({ a: '1' })
      const copy = async (more: Partial<CopyObjectCommandInput>) => {
        await s3.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/k`, ...more }))
        return tagsOf(session, Bucket, 'copy')
      }
      expect(await copy({})).toEqual({ a: '1' })
      expect(await copy({ TaggingDirective: 'COPY', Tagging: 'b=2' })).toEqual({ a: '1' })
      expect(await copy({ TaggingDirective: 'REPLACE', Tagging: 'b=2' })).toEqual({ b: '2' })
      expect(await copy({ TaggingDirective: 'REPLACE' })).toEqual({})
    },
  ],
  [
    'tags that cannot be are refused in S3’s words, and nothing is stored or changed',
    async (session) => {
      const { put } = session
      const Bucket = await session.bucket()
      const twice = await refused(put(Bucket, 'k', 'x', { Tagging: 'a=1&a=2' }))
      expect([twice.name, twice.message]).toEqual([
        'InvalidArgument',
        "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name duplicates.",
      ])
      expect(await refusal(put(Bucket, 'k', 'x', { Tagging: 'aws:a=1' }))).toEqual(['InvalidTag', 400])
      expect(await refusal(tag(session, Bucket, { a: '1' }))).toEqual(['NoSuchKey', 404])
      await put(Bucket, 'k', 'x', { Tagging: 'kept=1' })
      const eleven = Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`k${i}`, '']))
      for (const tags of [eleven, { [`${'k'.repeat(129)}`]: '' }, { k: 'v'.repeat(257) }, { 'a,b': '' }]) {
        expect(await refusal(tag(session, Bucket, tags))).toEqual(['InvalidTag', 400])
      }
      expect(await tagsOf(session, Bucket)).toEqual({ kept: '1' })
      expect(await refusal(put(Bucket, 'k', 'x', { StorageClass: 'OUTPOSTS' }))).toEqual(['InvalidStorageClass', 400])
    },
  ],
  [
    'a delete marker has no tags',
    async (session) => {
      const { s3, put } = session
      const Bucket = await session.bucket('Enabled')
      await put(Bucket, 'k')
      await s3.send(new DeleteObjectCommand({ Bucket, Key: 'k' }))
      expect(await refusal(tag(session, Bucket, { a: '1' }))).toEqual(['MethodNotAllowed', 405])
      expect(await refusal(s3.send(new GetObjectTaggingCommand({ Bucket, Key: 'k' })))).toEqual([
        'MethodNotAllowed',
        405,
      ])
    },
  ],
  [
    'a storage class is kept, shown wherever S3 shows it, and changed by a copy onto itself',
    async (session) => {
      const { s3, put, get } = session
      const Bucket = await session.bucket()
      await put(Bucket, 'k', 'cold', { StorageClass: 'GLACIER' })
      await put(Bucket, 'warm', 'warm')
      expect(await get(Bucket, 'k')).toMatchObject({ StorageClass: 'GLACIER', bytes: Buffer.from('cold') })
      expect((await get(Bucket, 'warm')).StorageClass).toBeUndefined()
      const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket }))
      expect(Contents?.map(({ StorageClass }) => StorageClass)).toEqual(['GLACIER', 'STANDARD'])
      const itself = { Bucket, Key: 'k', CopySource: `${Bucket}/k` }
      expect(await refusal(s3.send(new CopyObjectCommand(itself)))).toEqual(['InvalidRequest', 400])
      const StorageClass: StorageClass = 'STANDARD_IA'
      await s3.send(new CopyObjectCommand({ ...itself, StorageClass }))
      expect((await s3.send(new HeadObjectCommand({ Bucket, Key: 'k' }))).StorageClass).toBe(StorageClass)
    },
  ],
])
