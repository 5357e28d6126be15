/** A replica in a bucket whose objects are locked: somebody who has its credentials hides it, and cannot remove it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectLockConfigurationCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { inspectReplica, openStore, restoreStore } from 'varve'
import { startS3, type TestS3 } from 'varve/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'

const Bucket = 'locked'

let directory: string
let s3: TestS3
let client: S3Client
let to: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'varve-locked-'))
  s3 = await startS3()
  const credentials = { ...s3.credentials }
  client = new S3Client({ endpoint: s3.url, region: s3.region, forcePathStyle: true, credentials })
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  })
  to = `s3://${Bucket}/shop?region=${s3.region}&endpoint=${encodeURIComponent(s3.url)}`
  await client.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }))
  const rule = { DefaultRetention: { Mode: 'COMPLIANCE', Days: 30 } } as const
  const lock = { ObjectLockEnabled: 'Enabled', Rule: rule } as const
  await client.send(new PutObjectLockConfigurationCommand({ Bucket, ObjectLockConfiguration: lock }))
})
afterEach(async () => {
  client.destroy()
  await s3.stop()
  await rm(directory, { recursive: true, force: true })
})

const large = 'a large text '.repeat(20_000)

/** In so many files that some are joined and deleted. */
async function writeReplica(): Promise<void> {
  const store = await openStore(join(directory, 'store'), { replicas: [{ to, everyMs: 20 }] })
  await store.buckets.create('box')
  const position = () => store.jobs.find(({ name }) => name.startsWith('replication'))?.progress?.position
  for (let n = 0; n < 12; n++) {
    await store.objects.put('box', `key${n}`, n % 4 === 0 ? large : `text ${n}`)
    await expect.poll(position, { timeout: 20_000 }).toBe(store.seq)
  }
  await expect.poll(async () => (await inspectReplica(to)).files.log, { timeout: 20_000 }).toBeLessThan(10)
  await store.close()
}

async function hide(): Promise<void> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }))
  const Objects = Contents.flatMap(({ Key }) => (Key === undefined ? [] : [{ Key }]))
  await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
}

it('is not removed, and is restored when what hides it is taken away', async () => {
  await writeReplica()
  await hide()
  await expect(restoreStore(to, join(directory, 'none'))).rejects.toMatchObject({ code: 'StoreNotFound' })
  const { Versions = [], DeleteMarkers = [] } = await client.send(new ListObjectVersionsCommand({ Bucket }))
  for (const { Key, VersionId } of Versions)
    await expect(client.send(new DeleteObjectCommand({ Bucket, Key, VersionId }))).rejects.toMatchObject({
      name: 'AccessDenied',
    })
  for (const { Key, VersionId } of DeleteMarkers) await client.send(new DeleteObjectCommand({ Bucket, Key, VersionId }))
  await restoreStore(to, join(directory, 'again'))
  const again = await openStore(join(directory, 'again'))
  for (let n = 0; n < 12; n++)
    expect(await (await again.objects.get('box', `key${n}`)).text()).toBe(n % 4 === 0 ? large : `text ${n}`)
  expect((await again.verify()).divergences).toEqual([])
  await again.close()
}, 120_000)
