/** Odd keys, as @aws-sdk/client-s3 sends and reads them: each is a key of its own everywhere a key can stand. */
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  ListPartsCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { oddKeys, unlistableKeys } from './odd-keys.ts'
import { byBytes, inBothDialects, refusal, type Session } from './session.ts'

const sorted = [...oddKeys].sort(byBytes)
const all = [...oddKeys, ...unlistableKeys]

async function filled({ bucket, put }: Session, keys: readonly string[], versioned = false): Promise<string> {
  const Bucket = await bucket(versioned ? 'Enabled' : undefined)
  await Promise.all(keys.map((key) => put(Bucket, key, `of ${key}`)))
  return Bucket
}

/** What `encoding-type=url` makes of a key, undone as S3 has it done. */
const decoded = (key: string | undefined) => decodeURIComponent((key ?? '').replaceAll('+', ' '))

inBothDialects('@aws-sdk/client-s3: odd keys', [
  [
    'each keeps its own bytes',
    async (session) => {
      const { s3, get } = session
      const Bucket = await filled(session, all)
      const look = async (Key: string) => {
        expect((await get(Bucket, Key)).bytes.toString(), JSON.stringify(Key)).toBe(`of ${Key}`)
        const { ContentLength } = await s3.send(new HeadObjectCommand({ Bucket, Key }))
        expect(ContentLength).toBe(Buffer.byteLength(`of ${Key}`))
      }
      await Promise.all(all.map(look))
      expect(await refusal(get(Bucket, 'a/b'))).toEqual(['NoSuchKey', 404])
      expect(await refusal(get(Bucket, 'a b'))).toEqual(['NoSuchKey', 404])
    },
  ],
  [
    'listings of every kind name each as it is, in the order of its bytes',
    async (session) => {
      const { s3 } = session
      const Bucket = await filled(session, oddKeys)
      const v1 = await s3.send(new ListObjectsCommand({ Bucket }))
      const v2 = await s3.send(new ListObjectsV2Command({ Bucket }))
      const versions = await s3.send(new ListObjectVersionsCommand({ Bucket }))
      expect(v1.Contents?.map(({ Key }) => Key)).toEqual(sorted)
      expect(v2.Contents?.map(({ Key }) => Key)).toEqual(sorted)
      expect(versions.Versions?.map(({ Key }) => Key)).toEqual(sorted)
    },
  ],
  [
    'listings encoded as for a URL name every key there can be',
    async (session) => {
      const { s3 } = session
      const Bucket = await filled(session, all)
      const expected = [...all].sort(byBytes)
      const EncodingType = 'url'
      const v1 = await s3.send(new ListObjectsCommand({ Bucket, EncodingType }))
      const v2 = await s3.send(new ListObjectsV2Command({ Bucket, EncodingType }))
      const versions = await s3.send(new ListObjectVersionsCommand({ Bucket, EncodingType }))
      expect([v1.EncodingType, v2.EncodingType, versions.EncodingType]).toEqual(['url', 'url', 'url'])
      expect(v1.Contents?.map(({ Key }) => decoded(Key))).toEqual(expected)
      expect(v2.Contents?.map(({ Key }) => decoded(Key))).toEqual(expected)
      expect(versions.Versions?.map(({ Key }) => decoded(Key))).toEqual(expected)
    },
  ],
  [
    'each can be the prefix and where a listing starts',
    async (session) => {
      const { s3 } = session
      const Bucket = await filled(session, oddKeys)
      const keysOf = ({ Contents = [] }: { Contents?: { Key?: string | undefined }[] | undefined }) =>
        Contents.map(({ Key }) => Key)
      const look = async (key: string) => {
        const label = JSON.stringify(key)
        const under = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: key }))
        expect(under.Prefix, label).toBe(key)
        expect(keysOf(under), label).toEqual(sorted.filter((other) => other.startsWith(key)))
        const later = sorted.slice(sorted.indexOf(key) + 1)
        expect(keysOf(await s3.send(new ListObjectsV2Command({ Bucket, StartAfter: key }))), label).toEqual(later)
        const marked = await s3.send(new ListObjectsCommand({ Bucket, Marker: key }))
        expect([marked.Marker, keysOf(marked)], label).toEqual([key, later])
      }
      await Promise.all(oddKeys.map(look))
    },
  ],
  [
    'each can be copied from and to',
    async (session) => {
      const { s3, bucket, get } = session
      const from = await filled(session, all)
      const Bucket = await bucket()
      await Promise.all(
        all.map((Key) =>
          s3.send(new CopyObjectCommand({ Bucket, Key, CopySource: `${from}/${encodeURIComponent(Key)}` })),
        ),
      )
      const copies = await Promise.all(all.map((Key) => get(Bucket, Key)))
      expect(copies.map(({ bytes }) => bytes.toString())).toEqual(all.map((key) => `of ${key}`))
    },
  ],
  [
    'each can be deleted by itself, and nothing else goes',
    async (session) => {
      const { s3 } = session
      const Bucket = await filled(session, oddKeys)
      const halves = [0, 1].map((half) => sorted.filter((_, index) => index % 2 === half))
      for (const [index, half] of halves.entries()) {
        await Promise.all(half.map((Key) => s3.send(new DeleteObjectCommand({ Bucket, Key }))))
        const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }))
        expect(Contents.map(({ Key }) => Key)).toEqual(index === 0 ? halves[1] : [])
      }
    },
  ],
  [
    'all can be deleted in one request, with their versions, and the answer names each',
    async (session) => {
      const { s3 } = session
      const Bucket = await filled(session, oddKeys, true)
      const marked = await s3.send(
        new DeleteObjectsCommand({ Bucket, Delete: { Objects: oddKeys.map((Key) => ({ Key })) } }),
      )
      expect(marked.Errors ?? []).toEqual([])
      expect(marked.Deleted?.map(({ Key }) => Key)).toEqual(oddKeys)
      const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }))
      expect([Versions.length, DeleteMarkers.length]).toEqual([oddKeys.length, oddKeys.length])
      const Objects = [...Versions, ...DeleteMarkers].map(({ Key, VersionId }) => ({ Key, VersionId }))
      const gone = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
      expect(gone.Errors ?? []).toEqual([])
      expect(gone.Deleted?.map(({ Key, VersionId }) => ({ Key, VersionId }))).toEqual(Objects)
      const left = await s3.send(new ListObjectVersionsCommand({ Bucket }))
      expect([left.Versions, left.DeleteMarkers]).toEqual([undefined, undefined])
    },
  ],
  [
    'each can be uploaded in parts',
    async ({ s3, bucket, get, put }) => {
      const Bucket = await bucket()
      const uploads = await Promise.all(
        oddKeys.map(async (Key) => {
          const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))
          return { Bucket, Key, UploadId }
        }),
      )
      const { Uploads } = await s3.send(new ListMultipartUploadsCommand({ Bucket }))
      expect(Uploads?.map(({ Key }) => Key)).toEqual(sorted)
      await put(Bucket, 'a+b/ü?', 'from a copy')
      const CopySource = `${Bucket}/${encodeURIComponent('a+b/ü?')}`
      const finish = async ({ Key, UploadId }: (typeof uploads)[number], copied: boolean) => {
        const part = { Bucket, Key, UploadId, PartNumber: 1 }
        const ETag = copied
          ? (await s3.send(new UploadPartCopyCommand({ ...part, CopySource }))).CopyPartResult?.ETag
          : (await s3.send(new UploadPartCommand({ ...part, Body: `of ${Key}` }))).ETag
        const listed = await s3.send(new ListPartsCommand({ Bucket, Key, UploadId }))
        expect([listed.Key, listed.Parts?.length]).toEqual([Key, 1])
        const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] }
        const made = await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }))
        expect(made.Key).toBe(Key)
        const [, path = ''] = (made.Location ?? '').split(`/${Bucket}/`)
        expect(decodeURIComponent(path)).toBe(Key)
        expect((await get(Bucket, Key)).bytes.toString()).toBe(copied ? 'from a copy' : `of ${Key}`)
      }
      await Promise.all(uploads.map((upload, index) => finish(upload, index % 2 === 0)))
    },
  ],
])
