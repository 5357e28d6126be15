/**
 * Encryption at rest with @aws-sdk/client-s3. The object shows the requested encryption, and cannot be read without its
 * key.
 */
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteBucketEncryptionCommand,
  GetBucketEncryptionCommand,
  GetObjectAttributesCommand,
  HeadObjectCommand,
  PutBucketEncryptionCommand,
  type ServerSideEncryption,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { createKeyring } from 'varve'
import { expect } from 'vitest'
import { bytes, inBothDialects, type Kept, md5, MiB, refusal, type Session } from './session.ts'

const newKey = () => randomBytes(32)
const keyring = createKeyring({
  master: [newKey().toString('base64')],
  keys: { payroll: [newKey().toString('base64')] },
})

const given = (key: Buffer) => ({
  SSECustomerAlgorithm: 'AES256',
  SSECustomerKey: key.toString('base64'),
  SSECustomerKeyMD5: md5(key, 'base64'),
})
const asSource = (key: Buffer) => ({
  CopySourceSSECustomerAlgorithm: 'AES256',
  CopySourceSSECustomerKey: key.toString('base64'),
  CopySourceSSECustomerKeyMD5: md5(key, 'base64'),
})

const [own, other] = [newKey(), newKey()]
const shownKey = { SSECustomerAlgorithm: 'AES256', SSECustomerKeyMD5: md5(own, 'base64') }

/** For each mode: the parameters of the write, the parameters that reading needs, and what the object shows. */
const modes = {
  AES256: {
    ask: { ServerSideEncryption: 'AES256' as ServerSideEncryption },
    read: {},
    shown: { ServerSideEncryption: 'AES256' },
  },
  'aws:kms': {
    ask: { ServerSideEncryption: 'aws:kms' as ServerSideEncryption, SSEKMSKeyId: 'payroll', BucketKeyEnabled: true },
    read: {},
    shown: { ServerSideEncryption: 'aws:kms', SSEKMSKeyId: 'payroll', BucketKeyEnabled: true },
  },
  'aws:kms:dsse': {
    ask: { ServerSideEncryption: 'aws:kms:dsse' as ServerSideEncryption, SSEKMSKeyId: 'payroll' },
    read: {},
    shown: { ServerSideEncryption: 'aws:kms:dsse', SSEKMSKeyId: 'payroll' },
  },
  'a key of the client’s': { ask: given(own), read: given(own), shown: shownKey },
} as const

const secret = 'nobody must be able to find this in a file'

async function filesOf(dir: string): Promise<Buffer> {
  const names = await readdir(dir, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile() && entry.name !== 'keyring.json')
  // Others write meanwhile: what is there no more when it is read was not yet named.
  const read = files.map((entry) => readFile(join(entry.parentPath, entry.name)).catch(() => Buffer.alloc(0)))
  return Buffer.concat(await Promise.all(read))
}

async function assembled({ s3 }: Session, Bucket: string, mode: (typeof modes)[keyof typeof modes]): Promise<Buffer> {
  const ref = { Bucket, Key: 'assembled' }
  const { UploadId, ...begun } = await s3.send(new CreateMultipartUploadCommand({ ...ref, ...mode.ask }))
  expect(begun).toMatchObject(mode.shown)
  const bodies = [bytes(5 * MiB + 7), Buffer.from('tail')]
  const Parts = []
  for (const [i, Body] of bodies.entries()) {
    const part = { ...ref, UploadId, PartNumber: i + 1, Body, ...mode.read }
    const { ETag, ...answer } = await s3.send(new UploadPartCommand(part))
    expect(answer).toMatchObject(mode.shown)
    Parts.push({ PartNumber: i + 1, ETag })
  }
  await s3.send(new CompleteMultipartUploadCommand({ ...ref, UploadId, MultipartUpload: { Parts } }))
  return Buffer.concat(bodies)
}

const perMode = Object.entries(modes).flatMap(([name, mode]): Kept[] => [
  [
    `${name}: is requested and shown for puts, reads and ranges, and no file holds the text`,
    async (session) => {
      const { s3, bucket, put, get, server } = session
      const [Bucket, text] = [await bucket(), `${secret}: ${name}`]
      expect(await put(Bucket, 'k', text, mode.ask)).toMatchObject(mode.shown)
      expect(await s3.send(new HeadObjectCommand({ Bucket, Key: 'k', ...mode.read }))).toMatchObject({
        ...mode.shown,
        ContentLength: Buffer.byteLength(text),
      })
      const whole = await get(Bucket, 'k', mode.read)
      expect(whole).toMatchObject(mode.shown)
      expect(whole.bytes.toString()).toBe(text)
      const range = await get(Bucket, 'k', { ...mode.read, Range: 'bytes=7-10' })
      expect(range.bytes.toString()).toBe(text.slice(7, 11))
      expect((await filesOf(server.dir)).includes(text)).toBe(false)
    },
  ],
  [
    `${name}: parts are encrypted as their upload is`,
    async (session) => {
      const Bucket = await session.bucket()
      const whole = await assembled(session, Bucket, mode)
      const got = await session.get(Bucket, 'assembled', mode.read)
      expect(got.bytes.equals(whole)).toBe(true)
      expect(got).toMatchObject(mode.shown)
      const across = await session.get(Bucket, 'assembled', { ...mode.read, Range: `bytes=${5 * MiB}-${5 * MiB + 8}` })
      expect(across.bytes.equals(whole.subarray(5 * MiB, 5 * MiB + 9))).toBe(true)
    },
  ],
])

inBothDialects(
  '@aws-sdk/client-s3: encryption',
  [
    ...perMode,
    [
      'a key of the client’s must come with every read, and be the right one',
      async ({ s3, bucket, put, get }) => {
        const Bucket = await bucket()
        await put(Bucket, 'k', secret, given(own))
        const ref = { Bucket, Key: 'k' }
        expect(await refusal(get(Bucket, 'k'))).toEqual(['InvalidRequest', 400])
        expect(await refusal(get(Bucket, 'k', given(other)))).toEqual(['AccessDenied', 403])
        expect((await refusal(s3.send(new HeadObjectCommand(ref))))[1]).toBe(400)
        expect((await refusal(s3.send(new HeadObjectCommand({ ...ref, ...given(other) }))))[1]).toBe(403)
        const attributes = { ...ref, ObjectAttributes: ['ObjectSize' as const] }
        expect(await refusal(s3.send(new GetObjectAttributesCommand(attributes)))).toEqual(['InvalidRequest', 400])
        const reported = await s3.send(new GetObjectAttributesCommand({ ...attributes, ...given(own) }))
        expect(reported.ObjectSize).toBe(secret.length)
      },
    ],
    [
      'a key where none belongs, and encryption requested for a read, are refused',
      async ({ bucket, put, get, s3 }) => {
        const Bucket = await bucket()
        await put(Bucket, 'k', secret)
        expect(await refusal(get(Bucket, 'k', given(own)))).toEqual(['InvalidRequest', 400])
        const upload = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'u' }))
        const part = { Bucket, Key: 'u', UploadId: upload.UploadId, PartNumber: 1, Body: 'x' }
        expect(await refusal(s3.send(new UploadPartCommand({ ...part, ...given(own) })))).toEqual([
          'InvalidRequest',
          400,
        ])
      },
    ],
    [
      'a default key, made when it is first needed, encrypts what names none, and is shown by its ARN',
      async ({ s3, bucket, put, get }) => {
        const Bucket = await bucket()
        const kms = { ServerSideEncryption: 'aws:kms' } as const
        const shown = { ...kms, SSEKMSKeyId: 'arn:aws:kms:::alias/aws/s3' }
        expect(await put(Bucket, 'put', secret, kms)).toMatchObject(shown)
        const CopySource = `${Bucket}/put`
        expect(await s3.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource, ...shown }))).toMatchObject(shown)
        const Key = 'parts'
        const upload = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ...kms }))
        expect(upload).toMatchObject(shown)
        const part = { Bucket, Key, UploadId: upload.UploadId, PartNumber: 1 }
        const { ETag } = await s3.send(new UploadPartCommand({ ...part, Body: secret }))
        const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] }
        const { UploadId } = upload
        expect(
          await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload })),
        ).toMatchObject(shown)
        const ServerSideEncryptionConfiguration = {
          Rules: [{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms' as const } }],
        }
        await s3.send(new PutBucketEncryptionCommand({ Bucket, ServerSideEncryptionConfiguration }))
        expect(await put(Bucket, 'by default', secret)).toMatchObject(shown)
        for (const key of ['put', 'copy', 'parts', 'by default']) {
          const got = await get(Bucket, key)
          expect([got.SSEKMSKeyId, got.bytes.toString()], key).toEqual([shown.SSEKMSKeyId, secret])
        }
      },
    ],
    [
      'names that the keyring has not, and modes that contradict each other, are refused',
      async ({ bucket, put }) => {
        const Bucket = await bucket()
        const kms = { ServerSideEncryption: 'aws:kms' } as const
        expect(await refusal(put(Bucket, 'k', 'x', { ...kms, SSEKMSKeyId: 'nobody' }))).toEqual([
          'KMS.NotFoundException',
          400,
        ])
        expect((await refusal(put(Bucket, 'k', 'x', { ...kms, ...given(own) })))[0]).toBe('InvalidArgument')
        expect((await refusal(put(Bucket, 'k', 'x', { SSEKMSKeyId: 'payroll' })))[0]).toBe('InvalidArgument')
      },
    ],
    [
      'copies are encrypted as requested, wherever they come from',
      async ({ s3, bucket, put, get }) => {
        const Bucket = await bucket()
        await put(Bucket, 'plain', secret)
        await put(Bucket, 'keyed', secret, given(own))
        const from = (Key: string) => ({ Bucket, CopySource: `${Bucket}/${Key}` })
        const toOther = { ...from('keyed'), Key: 'other', ...asSource(own), ...given(other) }
        await s3.send(new CopyObjectCommand(toOther))
        expect((await get(Bucket, 'other', given(other))).bytes.toString()).toBe(secret)
        const toKms = { ...from('plain'), Key: 'kms', ServerSideEncryption: 'aws:kms', SSEKMSKeyId: 'payroll' } as const
        expect(await s3.send(new CopyObjectCommand(toKms))).toMatchObject({ SSEKMSKeyId: 'payroll' })
        expect((await get(Bucket, 'kms')).bytes.toString()).toBe(secret)
        await s3.send(new CopyObjectCommand({ ...from('keyed'), Key: 'bare', ...asSource(own) }))
        expect((await get(Bucket, 'bare')).bytes.toString()).toBe(secret)
        expect(await refusal(s3.send(new CopyObjectCommand({ ...from('keyed'), Key: 'no' })))).toEqual([
          'InvalidRequest',
          400,
        ])
        const upload = { Bucket, Key: 'parts', ...given(other) }
        const { UploadId } = await s3.send(new CreateMultipartUploadCommand(upload))
        const copied = { ...from('keyed'), Key: 'parts', UploadId, PartNumber: 1, ...asSource(own), ...given(other) }
        const { CopyPartResult } = await s3.send(new UploadPartCopyCommand(copied))
        const MultipartUpload = { Parts: [{ PartNumber: 1, ETag: CopyPartResult?.ETag }] }
        await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key: 'parts', UploadId, MultipartUpload }))
        expect((await get(Bucket, 'parts', given(other))).bytes.toString()).toBe(secret)
      },
    ],
    [
      'a bucket sets the encryption of objects that request none',
      async ({ s3, bucket, put }) => {
        const Bucket = await bucket()
        const none = refusal(s3.send(new GetBucketEncryptionCommand({ Bucket })))
        expect(await none).toEqual(['ServerSideEncryptionConfigurationNotFoundError', 404])
        const ApplyServerSideEncryptionByDefault = { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: 'payroll' } as const
        const Rules = [{ ApplyServerSideEncryptionByDefault, BucketKeyEnabled: true }]
        const ServerSideEncryptionConfiguration = { Rules }
        await s3.send(new PutBucketEncryptionCommand({ Bucket, ServerSideEncryptionConfiguration }))
        const kept = await s3.send(new GetBucketEncryptionCommand({ Bucket }))
        expect(kept.ServerSideEncryptionConfiguration).toEqual(ServerSideEncryptionConfiguration)
        expect(await put(Bucket, 'k', secret)).toMatchObject(modes['aws:kms'].shown)
        expect(await put(Bucket, 'k', secret, modes.AES256.ask)).toMatchObject(modes.AES256.shown)
        await s3.send(new DeleteBucketEncryptionCommand({ Bucket }))
        expect(await put(Bucket, 'k', secret)).not.toHaveProperty('ServerSideEncryption')
      },
    ],
  ],
  { store: { keyring } },
)
