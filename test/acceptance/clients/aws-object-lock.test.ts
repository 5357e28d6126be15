/** Object Lock with @aws-sdk/client-s3: retention, legal hold, and the permission to bypass them. */
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  type DeleteObjectCommandInput,
  DeleteObjectsCommand,
  GetBucketVersioningCommand,
  GetObjectLegalHoldCommand,
  GetObjectLockConfigurationCommand,
  GetObjectRetentionCommand,
  HeadObjectCommand,
  type ObjectLockRetentionMode,
  PutObjectLegalHoldCommand,
  PutObjectLockConfigurationCommand,
  PutObjectRetentionCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import { inBothDialects, refusal, refused, type Session, setVersioning } from './session.ts'

const day = 24 * 60 * 60 * 1000
/** Whole seconds, because headers have no finer unit. */
const inDays = (days: number) => new Date(Math.ceil(Date.now() / 1000) * 1000 + days * day)
const isProtected = ['AccessDenied', 403]

async function lockedBucket({ s3, name }: Session): Promise<string> {
  const Bucket = name()
  await s3.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }))
  return Bucket
}

type Term = readonly [Mode: ObjectLockRetentionMode, days: number]

const retain = ({ s3 }: Session, Bucket: string, [Mode, days]: Term, bypass = false) =>
  s3.send(
    new PutObjectRetentionCommand({
      Bucket,
      Key: 'k',
      Retention: { Mode, RetainUntilDate: inDays(days) },
      ...(bypass && { BypassGovernanceRetention: true }),
    }),
  )

const hold = ({ s3 }: Session, Bucket: string, Status: 'ON' | 'OFF') =>
  s3.send(new PutObjectLegalHoldCommand({ Bucket, Key: 'k', LegalHold: { Status } }))

inBothDialects('@aws-sdk/client-s3: Object Lock', [
  [
    'a bucket created with it has versioning, which cannot be suspended',
    async (session) => {
      const { s3 } = session
      const Bucket = await lockedBucket(session)
      expect((await s3.send(new GetBucketVersioningCommand({ Bucket }))).Status).toBe('Enabled')
      expect(await refusal(setVersioning(s3, Bucket, 'Suspended'))).toEqual(['InvalidBucketState', 409])
      const get = async () => (await s3.send(new GetObjectLockConfigurationCommand({ Bucket }))).ObjectLockConfiguration
      expect(await get()).toEqual({ ObjectLockEnabled: 'Enabled' })
      const ObjectLockConfiguration = {
        ObjectLockEnabled: 'Enabled',
        Rule: { DefaultRetention: { Mode: 'GOVERNANCE', Days: 2 } },
      } as const
      await s3.send(new PutObjectLockConfigurationCommand({ Bucket, ObjectLockConfiguration }))
      expect(await get()).toEqual(ObjectLockConfiguration)
      const before = Date.now()
      await session.put(Bucket, 'k', 'v')
      const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'k' }))
      expect(head.ObjectLockMode).toBe('GOVERNANCE')
      expect(head.ObjectLockRetainUntilDate?.getTime()).toBeGreaterThanOrEqual(before - 1000 + 2 * day)
    },
  ],
  [
    'no other bucket can lock anything, until it keeps versions',
    async (session) => {
      const { s3, put } = session
      const Bucket = await session.bucket()
      await put(Bucket, 'k')
      const configure = () =>
        s3.send(
          new PutObjectLockConfigurationCommand({ Bucket, ObjectLockConfiguration: { ObjectLockEnabled: 'Enabled' } }),
        )
      expect(await refusal(s3.send(new GetObjectLockConfigurationCommand({ Bucket })))).toEqual([
        'ObjectLockConfigurationNotFoundError',
        404,
      ])
      expect(await refusal(configure())).toEqual(['InvalidBucketState', 409])
      const requested = [
        retain(session, Bucket, ['GOVERNANCE', 1]),
        hold(session, Bucket, 'ON'),
        put(Bucket, 'k', 'x', { ObjectLockLegalHoldStatus: 'ON' }),
        s3.send(new GetObjectRetentionCommand({ Bucket, Key: 'k' })),
        s3.send(new GetObjectLegalHoldCommand({ Bucket, Key: 'k' })),
      ]
      for (const { name, message } of await Promise.all(requested.map(refused))) {
        expect([name, message]).toEqual(['InvalidRequest', 'Bucket is missing Object Lock Configuration'])
      }
      expect(
        await refusal(s3.send(new DeleteObjectCommand({ Bucket, Key: 'k', BypassGovernanceRetention: true }))),
      ).toEqual(['InvalidArgument', 400])
      await setVersioning(s3, Bucket, 'Enabled')
      await configure()
      await hold(session, Bucket, 'ON')
    },
  ],
  [
    'GOVERNANCE protects a version from every delete without a bypass',
    async (session) => {
      const { s3, put } = session
      const Bucket = await lockedBucket(session)
      const { VersionId } = await put(Bucket, 'k', 'v', {
        ObjectLockMode: 'GOVERNANCE',
        ObjectLockRetainUntilDate: inDays(2),
      })
      const remove = (more: Partial<DeleteObjectCommandInput> = {}) =>
        s3.send(new DeleteObjectCommand({ Bucket, Key: 'k', VersionId, ...more }))
      const { name, message } = await refused(remove())
      expect([name, message]).toEqual(['AccessDenied', 'Access Denied because object protected by object lock.'])
      expect((await s3.send(new DeleteObjectCommand({ Bucket, Key: 'k' }))).DeleteMarker).toBe(true)
      const many = { Bucket, Delete: { Objects: [{ Key: 'k', VersionId }] } }
      const { Errors } = await s3.send(new DeleteObjectsCommand(many))
      expect(Errors).toMatchObject([{ Code: 'AccessDenied', Key: 'k', VersionId }])
      expect(await refusal(s3.send(new DeleteBucketCommand({ Bucket })))).toEqual(['BucketNotEmpty', 409])
      await remove({ BypassGovernanceRetention: true })
      expect(await refusal(session.get(Bucket, 'k', { VersionId }))).toEqual(['NoSuchVersion', 404])
    },
  ],
  [
    'a retention can always be extended, and shortened only as its mode allows',
    async (session) => {
      const { s3, put } = session
      const Bucket = await lockedBucket(session)
      await put(Bucket, 'k')
      expect(await refusal(s3.send(new GetObjectRetentionCommand({ Bucket, Key: 'k' })))).toEqual([
        'NoSuchObjectLockConfiguration',
        404,
      ])
      expect(await refusal(retain(session, Bucket, ['GOVERNANCE', -1]))).toEqual(['InvalidArgument', 400])
      await retain(session, Bucket, ['GOVERNANCE', 2])
      await retain(session, Bucket, ['GOVERNANCE', 3])
      expect(await refusal(retain(session, Bucket, ['GOVERNANCE', 1]))).toEqual(isProtected)
      expect(await refusal(retain(session, Bucket, ['COMPLIANCE', 4]))).toEqual(isProtected)
      await retain(session, Bucket, ['COMPLIANCE', 1], true)
      const { Retention } = await s3.send(new GetObjectRetentionCommand({ Bucket, Key: 'k' }))
      expect(Retention?.Mode).toBe('COMPLIANCE')
      expect(await refusal(retain(session, Bucket, ['GOVERNANCE', 1], true))).toEqual(isProtected)
    },
  ],
  [
    'a legal hold keeps what an upload became, and is not copied',
    async (session) => {
      const { s3 } = session
      const Bucket = await lockedBucket(session)
      const ref = { Bucket, Key: 'k' }
      const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ ...ref, ObjectLockLegalHoldStatus: 'ON' }))
      const { ETag } = await s3.send(new UploadPartCommand({ ...ref, UploadId, PartNumber: 1, Body: 'x' }))
      const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] }
      const { VersionId } = await s3.send(new CompleteMultipartUploadCommand({ ...ref, UploadId, MultipartUpload }))
      const remove = () => s3.send(new DeleteObjectCommand({ ...ref, VersionId, BypassGovernanceRetention: true }))
      expect(await refusal(remove())).toEqual(isProtected)
      await s3.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/k` }))
      const copy = await s3.send(new HeadObjectCommand({ Bucket, Key: 'copy' }))
      expect(copy.ObjectLockLegalHoldStatus).toBeUndefined()
      await hold(session, Bucket, 'OFF')
      expect((await s3.send(new GetObjectLegalHoldCommand(ref))).LegalHold).toEqual({ Status: 'OFF' })
      await remove()
    },
  ],
])
