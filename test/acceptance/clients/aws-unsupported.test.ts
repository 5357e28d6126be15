/**
 * Unsupported operations, requested with @aws-sdk/client-s3. The server refuses them by name and does nothing instead.
 */
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  PutObjectCommand,
  RestoreObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { inBothDialects, type Kept, refusal } from './session.ts'

interface Target {
  readonly Bucket: string
  readonly Key: string
}

type Ask = (s3: S3Client, target: Target) => Promise<unknown>

/** Each is requested for an existing object, and must leave the object and its bucket unchanged. */
const missing: Readonly<Record<string, Ask>> = {
  restoring: (s3, target) => s3.send(new RestoreObjectCommand({ ...target, RestoreRequest: { Days: 1 } })),
  'writing at an offset': (s3, target) =>
    s3.send(new PutObjectCommand({ ...target, Body: 'new', WriteOffsetBytes: 3 })),
  'deleting by size': (s3, target) => s3.send(new DeleteObjectCommand({ ...target, IfMatchSize: 3 })),
}

inBothDialects('@aws-sdk/client-s3: what is not built', [
  ...Object.entries(missing).map(
    ([what, ask]): Kept => [
      `${what}: refused, and everything stays as it was`,
      async ({ s3, bucket, put, get }) => {
        const target = { Bucket: await bucket('Enabled'), Key: 'k' }
        const { VersionId } = await put(target.Bucket, target.Key, 'old')
        expect(await refusal(ask(s3, target))).toEqual(['NotImplemented', 501])
        expect((await get(target.Bucket, target.Key)).bytes.toString()).toBe('old')
        const { Versions, DeleteMarkers } = await s3.send(new ListObjectVersionsCommand({ Bucket: target.Bucket }))
        expect(Versions?.map((version) => version.VersionId)).toEqual([VersionId])
        expect(DeleteMarkers).toBeUndefined()
        expect((await s3.send(new ListMultipartUploadsCommand({ Bucket: target.Bucket }))).Uploads).toBeUndefined()
      },
    ],
  ),
  [
    'headers that request only the default are accepted',
    async ({ s3, bucket, get }) => {
      const Bucket = await bucket()
      const input = { ACL: 'private', StorageClass: 'STANDARD', Tagging: '' } as const
      await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x', ...input }))
      expect((await get(Bucket, 'k')).bytes.toString()).toBe('x')
      await s3.send(
        new CreateBucketCommand({ Bucket: `${Bucket}-plain`, ObjectLockEnabledForBucket: false, ACL: 'private' }),
      )
    },
  ],
])
