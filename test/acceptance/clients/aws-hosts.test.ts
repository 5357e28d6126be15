/** Buckets addressed by host name, which is the default of @aws-sdk/client-s3. */
import { Agent } from 'node:http'
import type { LookupFunction } from 'node:net'
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { expect } from 'vitest'
import { oddKeys } from './odd-keys.ts'
import { byBytes, inBothDialects, refusal, type Session } from './session.ts'

/** Not every system finds `bucket.localhost` by itself. */
const lookup: LookupFunction = (_host, { all }, found) => {
  if (all === true) found(null, [{ address: '127.0.0.1', family: 4 }])
  else found(null, '127.0.0.1', 4)
}

function hostClient({ client, server }: Session): S3Client {
  return client({
    config: {
      endpoint: `http://localhost:${server.port}`,
      forcePathStyle: false,
      requestHandler: { httpAgent: new Agent({ lookup, keepAlive: true }) },
    },
  })
}

inBothDialects('@aws-sdk/client-s3: buckets by host name', [
  [
    'a bucket is made, filled, listed, emptied and removed',
    async (session) => {
      const s3 = hostClient(session)
      const Bucket = session.name()
      await s3.send(new CreateBucketCommand({ Bucket }))
      const { Buckets = [] } = await s3.send(new ListBucketsCommand({}))
      expect(Buckets.map(({ Name }) => Name)).toContain(Bucket)
      await Promise.all(oddKeys.map((Key) => s3.send(new PutObjectCommand({ Bucket, Key, Body: `of ${Key}` }))))
      // What was put by one way of addressing is there by the other.
      for (const Key of oddKeys) {
        const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }))
        expect(await Body?.transformToString()).toBe(`of ${Key}`)
      }
      const listed = await session.s3.send(new ListObjectsV2Command({ Bucket }))
      expect(listed.Contents?.map(({ Key }) => Key)).toEqual([...oddKeys].sort(byBytes))
      expect(await refusal(s3.send(new DeleteBucketCommand({ Bucket })))).toEqual(['BucketNotEmpty', 409])
      await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: oddKeys.map((Key) => ({ Key })) } }))
      await s3.send(new DeleteBucketCommand({ Bucket }))
      expect(await refusal(s3.send(new ListObjectsV2Command({ Bucket })))).toEqual(['NoSuchBucket', 404])
    },
  ],
  [
    'a key that is named like a bucket is a key',
    async (session) => {
      const s3 = hostClient(session)
      const [Bucket, other] = [await session.bucket(), await session.bucket()]
      await s3.send(new PutObjectCommand({ Bucket, Key: `${other}/k`, Body: 'mine' }))
      expect((await session.get(Bucket, `${other}/k`)).bytes.toString()).toBe('mine')
      expect((await session.s3.send(new ListObjectsV2Command({ Bucket: other }))).KeyCount).toBe(0)
    },
  ],
  [
    'copies, uploads in parts and presigned URLs find their bucket',
    async (session) => {
      const s3 = hostClient(session)
      const Bucket = await session.bucket()
      await s3.send(new PutObjectCommand({ Bucket, Key: 'a b', Body: 'bytes' }))
      await s3.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/a%20b` }))
      const part = { Bucket, Key: 'dir/whole', PartNumber: 1 }
      const { UploadId } = await s3.send(new CreateMultipartUploadCommand(part))
      const { ETag } = await s3.send(new UploadPartCommand({ ...part, UploadId, Body: 'parts' }))
      const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] }
      const made = await s3.send(new CompleteMultipartUploadCommand({ ...part, UploadId, MultipartUpload }))
      expect(made.Location).toMatch(/^http:\/\/.*\/dir\/whole$/)
      const text = async (Key: string) => (await session.get(Bucket, Key)).bytes.toString()
      expect([await text('copy'), await text('dir/whole')]).toEqual(['bytes', 'parts'])
      const url = new URL(await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: 'copy' })))
      expect([url.host, url.pathname]).toEqual([`${Bucket}.localhost:${session.server.port}`, '/copy'])
    },
  ],
])
