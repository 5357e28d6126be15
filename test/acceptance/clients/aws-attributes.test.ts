/** GetObjectAttributes with @aws-sdk/client-s3: what is known of an object, without its bytes. */
import {
  type ChecksumType,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectAttributesCommand,
  type GetObjectAttributesCommandInput,
  type ObjectAttributes,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { bytes, inBothDialects, md5, MiB, refusal, type Session } from './session.ts'

const all: ObjectAttributes[] = ['ObjectSize', 'StorageClass', 'ObjectParts', 'Checksum', 'ETag']

async function attributesOf({ s3 }: Session, input: Partial<GetObjectAttributesCommandInput> & { Bucket: string }) {
  const { $metadata, ...answer } = await s3.send(
    new GetObjectAttributesCommand({ Key: 'k', ObjectAttributes: all, ...input }),
  )
  expect($metadata.httpStatusCode).toBe(200)
  return answer
}

async function assembled({ s3 }: Session, Bucket: string, ChecksumType: ChecksumType): Promise<void> {
  const ref = { Bucket, Key: 'k' }
  const { UploadId } = await s3.send(
    new CreateMultipartUploadCommand({ ...ref, ChecksumAlgorithm: 'CRC32', ChecksumType }),
  )
  const Parts = []
  for (const [i, Body] of [bytes(5 * MiB), Buffer.from('tail')].entries()) {
    const PartNumber = 2 * i + 1
    const { ETag, ChecksumCRC32 } = await s3.send(
      new UploadPartCommand({ ...ref, UploadId, PartNumber, Body, ChecksumAlgorithm: 'CRC32' }),
    )
    Parts.push({ PartNumber, ETag, ChecksumCRC32 })
  }
  await s3.send(new CompleteMultipartUploadCommand({ ...ref, UploadId, MultipartUpload: { Parts } }))
}

inBothDialects('@aws-sdk/client-s3: attributes', [
  [
    'of an object that was put whole are its own, and none is of parts',
    async (session) => {
      const Bucket = await session.bucket()
      await session.put(Bucket, 'k', 'v1-body', { ChecksumAlgorithm: 'SHA256' })
      expect(await attributesOf(session, { Bucket })).toEqual({
        ETag: md5('v1-body'),
        Checksum: { ChecksumSHA256: expect.stringMatching(/^.{43}=$/), ChecksumType: 'FULL_OBJECT' },
        StorageClass: 'STANDARD',
        ObjectSize: 7,
        LastModified: expect.any(Date),
      })
      const one = await attributesOf(session, { Bucket, ObjectAttributes: ['ObjectSize'] })
      expect(one).toEqual({ ObjectSize: 7, LastModified: expect.any(Date) })
    },
  ],
  [
    'of parts that the checksum is made of come page by page',
    async (session) => {
      const Bucket = await session.bucket()
      await assembled(session, Bucket, 'COMPOSITE')
      const { ETag, Checksum, ObjectParts, ObjectSize } = await attributesOf(session, { Bucket })
      expect([ETag, ObjectSize]).toEqual([expect.stringMatching(/^[0-9a-f]{32}-2$/), 5 * MiB + 4])
      expect(Checksum).toEqual({ ChecksumCRC32: expect.stringMatching(/^.{6}==$/), ChecksumType: 'COMPOSITE' })
      const part = (PartNumber: number, Size: number) => ({ PartNumber, Size, ChecksumCRC32: expect.any(String) })
      const page = { IsTruncated: false, MaxParts: 1000, NextPartNumberMarker: '2', PartNumberMarker: '0' }
      expect(ObjectParts).toEqual({ ...page, TotalPartsCount: 2, Parts: [part(1, 5 * MiB), part(2, 4)] })
      const first = await attributesOf(session, { Bucket, MaxParts: 1 })
      expect(first.ObjectParts).toMatchObject({
        IsTruncated: true,
        NextPartNumberMarker: '1',
        Parts: [part(1, 5 * MiB)],
      })
      const second = await attributesOf(session, { Bucket, MaxParts: 1, PartNumberMarker: '1' })
      expect(second.ObjectParts).toMatchObject({ IsTruncated: false, NextPartNumberMarker: '2', Parts: [part(2, 4)] })
      const behind = await attributesOf(session, { Bucket, PartNumberMarker: '10' })
      expect(behind.ObjectParts).toMatchObject({ IsTruncated: false, NextPartNumberMarker: '0', TotalPartsCount: 2 })
      expect(behind.ObjectParts?.Parts).toBeUndefined()
    },
  ],
  [
    'of parts that were only bytes are how many there were',
    async (session) => {
      const Bucket = await session.bucket()
      await assembled(session, Bucket, 'FULL_OBJECT')
      const { Checksum, ObjectParts } = await attributesOf(session, { Bucket })
      expect(Checksum?.ChecksumType).toBe('FULL_OBJECT')
      expect(ObjectParts).toEqual({ TotalPartsCount: 2 })
    },
  ],
  [
    'are of the version that is named, and there is none of what is deleted',
    async (session) => {
      const { s3, put } = session
      const Bucket = await session.bucket('Enabled')
      const { VersionId } = await put(Bucket, 'k', 'one')
      await put(Bucket, 'k', 'other')
      expect(await attributesOf(session, { Bucket, VersionId })).toMatchObject({ ObjectSize: 3, VersionId })
      const requested = { Bucket, Key: 'gone', ObjectAttributes: all }
      expect(await refusal(s3.send(new GetObjectAttributesCommand(requested)))).toEqual(['NoSuchKey', 404])
      const unknown = { Bucket, Key: 'k', ObjectAttributes: ['Colour' as ObjectAttributes] }
      expect(await refusal(s3.send(new GetObjectAttributesCommand(unknown)))).toEqual(['InvalidArgument', 400])
    },
  ],
])
