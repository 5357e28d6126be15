/** Access logs that S3 delivers into a bucket, set and read by @aws-sdk/client-s3. */
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutBucketLoggingCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { memoryStore, openStore } from 'varve'
import { createIdentity, serve as serveStore } from 'varve/http'
import { describe, expect, it } from 'vitest'
import { endServersAfterEach, scratchPaths, serve } from './run-varve.ts'

const next = scratchPaths()
endServersAfterEach()

const credentials = { accessKeyId: 'root-key', secretAccessKey: 'root-secret' }
const variables = { VARVE_ACCESS_KEY_ID: credentials.accessKeyId, VARVE_SECRET_ACCESS_KEY: credentials.secretAccessKey }
/** The SDK adds fields to the credentials that it receives. */
const clientOf = (endpoint: string) =>
  new S3Client({ endpoint, region: 'eu', credentials: { ...credentials }, forcePathStyle: true })

const policy = JSON.stringify({
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: { Service: 'logging.s3.amazonaws.com' },
      Action: 's3:PutObject',
      Resource: 'arn:aws:s3:::logs/web/*',
      Condition: { ArnLike: { 'aws:SourceArn': 'arn:aws:s3:::photos' } },
    },
  ],
})

async function logged(s3: S3Client, isAllowed = true): Promise<void> {
  for (const Bucket of ['photos', 'logs']) await s3.send(new CreateBucketCommand({ Bucket }))
  if (isAllowed) await s3.send(new PutBucketPolicyCommand({ Bucket: 'logs', Policy: policy }))
  const LoggingEnabled = {
    TargetBucket: 'logs',
    TargetPrefix: 'web/',
    TargetObjectKeyFormat: { PartitionedPrefix: { PartitionDateSource: 'EventTime' as const } },
  }
  await s3.send(new PutBucketLoggingCommand({ Bucket: 'photos', BucketLoggingStatus: { LoggingEnabled } }))
}

const putAndGet = async (s3: S3Client): Promise<void> => {
  await s3.send(new PutObjectCommand({ Bucket: 'photos', Key: 'a cat', Body: 'meow' }))
  await (await s3.send(new GetObjectCommand({ Bucket: 'photos', Key: 'a cat' }))).Body?.transformToString()
}

async function deliveredLines(s3: S3Client): Promise<readonly string[]> {
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: 'logs' }))
  const texts = Contents.map(async ({ Key }) =>
    (await s3.send(new GetObjectCommand({ Bucket: 'logs', Key }))).Body?.transformToString(),
  )
  return (await Promise.all(texts)).flatMap((text) => text?.trimEnd().split('\n') ?? [])
}

const isLine =
  /^[\da-f]{64} photos \[\d\d\/\w{3}\/\d{4}:[\d:]{8} \+0000\] 127\.0\.0\.1 [\da-f]{64} [\dA-F]{16} REST\.\w+\.\w+ /

describe.each([
  ['one process', []],
  ['two workers', ['--workers', '2']],
])('a bucket with access logs, served by %s', (_, workers) => {
  it('has its requests delivered into the target bucket', async () => {
    const server = await serve([next(), '--access-log-every', '300ms', ...workers], variables)
    const s3 = clientOf(server.url)
    await logged(s3)
    await putAndGet(s3)
    await expect.poll(async () => (await deliveredLines(s3)).length, { timeout: 20_000 }).toBeGreaterThanOrEqual(2)
    const lines = await deliveredLines(s3)
    expect(lines.filter((line) => !isLine.test(line))).toEqual([])
    expect(lines.join('\n')).toMatch(
      / REST\.PUT\.OBJECT a%20cat "PUT \/photos\/a%20cat\?x-id=PutObject HTTP\/1\.1" 200 - - 4 /,
    )
    expect(lines.join('\n')).toMatch(/ REST\.GET\.OBJECT a%20cat .* 200 - 4 4 .* SigV4 - AuthHeader 127\.0\.0\.1:\d+ /)
  })

  it('has what waits delivered when the server stops', async () => {
    const dir = next()
    const server = await serve([dir, ...workers], variables)
    const s3 = clientOf(server.url)
    await logged(s3)
    await putAndGet(s3)
    s3.destroy()
    await server.stop()
    const store = await openStore(dir)
    const { entries } = await store.objects.listPage('logs')
    const [first] = entries
    if (first === undefined || !('key' in first)) throw new Error('Nothing was delivered.')
    expect(first.key).toMatch(/^web\/[\da-f]{64}\/eu\/photos\/\d{4}\/\d\d\/\d\d\/\d{4}-\d\d-\d\d-00-00-00-[\dA-F]{16}$/)
    expect(await (await store.objects.get('logs', first.key)).text()).toMatch(/REST\.GET\.OBJECT/)
    await store.close()
  })
})

describe('a target bucket that does not allow log delivery', () => {
  it('receives nothing, and the job shows the reason', async () => {
    const store = await memoryStore()
    const identities = [createIdentity({ name: 'root', ...credentials, root: true })]
    const server = await serveStore({ store, identities, region: 'eu', port: 0, accessLogs: { everyMs: 20 } })
    const s3 = clientOf(server.url)
    await logged(s3, false)
    await putAndGet(s3)
    const job = () => store.jobs.find(({ name }) => name === 'access-logs')
    await expect.poll(() => job()?.lastError?.error).toMatchObject({ code: 'AccessDenied' })
    expect((await store.objects.listPage('logs')).entries).toEqual([])
    await server.close()
    await store.close()
  })
})
