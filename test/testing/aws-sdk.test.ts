/** The AWS SDK as it comes, against a server for tests: with a port, and without one. */
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { Readable } from 'node:stream'
import { startS3, type StartS3Options, testClock, type TestS3 } from 'varve/testing'
import { afterEach, describe, expect, it } from 'vitest'

process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true'

const MiB = 1024 * 1024
const ends: (() => unknown)[] = []

async function start(options: StartS3Options = {}): Promise<{ readonly s3: TestS3; readonly client: S3Client }> {
  const s3 = await startS3({ buckets: ['photos'], ...options })
  const client = new S3Client(s3.clientConfig)
  ends.push(
    () => client.destroy(),
    () => s3.stop(),
  )
  return { s3, client }
}

afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

const put = (client: S3Client, Key: string, Body: string | Uint8Array | Readable = Key) =>
  client.send(new PutObjectCommand({ Bucket: 'photos', Key, Body }))

async function textOf(client: S3Client, Key: string): Promise<string | undefined> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: 'photos', Key }))
  return Body?.transformToString()
}

async function keysOf(client: S3Client): Promise<(string | undefined)[]> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: 'photos' }))
  return Contents.map(({ Key }) => Key)
}

describe.each([true, false])('the AWS SDK (listen: %s)', (listen) => {
  it('uploads in parts, and reads a stream piece by piece', async () => {
    const { client } = await start({ listen })
    const body = Buffer.alloc(12 * MiB, 'film ')
    const Body = Readable.from([body.subarray(0, 7 * MiB), body.subarray(7 * MiB)])
    await new Upload({ client, params: { Bucket: 'photos', Key: 'film', Body } }).done()
    const got = await client.send(new GetObjectCommand({ Bucket: 'photos', Key: 'film' }))
    const chunks: Buffer[] = []
    for await (const chunk of got.Body as Readable) chunks.push(chunk as Buffer)
    expect(chunks.length).toBeGreaterThan(10)
    expect(Buffer.concat(chunks).equals(body)).toBe(true)
    const upload = await client.send(new CreateMultipartUploadCommand({ Bucket: 'photos', Key: 'no' }))
    await client.send(new AbortMultipartUploadCommand({ Bucket: 'photos', Key: 'no', UploadId: upload.UploadId }))
    const { Uploads } = await client.send(new ListMultipartUploadsCommand({ Bucket: 'photos' }))
    expect(Uploads).toBeUndefined()
  })

  it('aborts an upload and a download', async () => {
    const { s3, client } = await start({ listen })
    const endless = new Readable({ read() {} })
    endless.push(Buffer.alloc(100_000))
    const leaving = new AbortController()
    const upload = client.send(
      new PutObjectCommand({ Bucket: 'photos', Key: 'a', Body: endless, ContentLength: 200_000 }),
      { abortSignal: leaving.signal },
    )
    setTimeout(() => leaving.abort(), 100)
    await expect(upload).rejects.toMatchObject({ name: 'AbortError' })
    expect(await keysOf(client)).toEqual([])
    await s3.store.objects.put('photos', 'long', Buffer.alloc(20 * MiB))
    const { Body } = await client.send(new GetObjectCommand({ Bucket: 'photos', Key: 'long' }))
    ;(Body as Readable).destroy()
    expect(await keysOf(client)).toEqual(['long'])
  })

  it('sends a request again that met an error or lost its connection', async () => {
    const { s3, client } = await start({ listen })
    const attempts = async (Key: string) => (await put(client, Key)).$metadata.attempts
    const twice = s3.faults.add({ fault: { kind: 'error', code: 'ServiceUnavailable' }, times: 2 })
    expect([await attempts('a'), twice.count]).toEqual([3, 2])
    s3.faults.add({ fault: { kind: 'disconnect' }, times: 1 })
    s3.faults.add({ fault: { kind: 'disconnect', afterBytes: 0 }, times: 1 })
    expect(await attempts('b')).toBe(3)
    expect(await keysOf(client)).toEqual(['a', 'b'])
  })

  it('reports an error that goes on, with its request id', async () => {
    const { s3, client } = await start({ listen })
    s3.faults.add({ when: { operation: 'PutObject', key: 'a' }, fault: { kind: 'error', code: 'ServiceUnavailable' } })
    const refused = { name: 'ServiceUnavailable', $metadata: { httpStatusCode: 503, attempts: 3 } }
    await expect(put(client, 'a')).rejects.toMatchObject(refused)
    await expect(put(client, 'a')).rejects.toHaveProperty('$metadata.requestId', expect.stringMatching(/^\w{16}$/))
  })

  it('reports a download that is cut', async () => {
    const { s3, client } = await start({ listen })
    await put(client, 'long', Buffer.alloc(MiB))
    s3.faults.add({ when: { operation: 'GetObject' }, fault: { kind: 'disconnect', afterBytes: 1000 } })
    await expect(textOf(client, 'long')).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  it('does not send a request again that a reset ended', async () => {
    const { s3, client } = await start({ listen })
    const asleep = s3.faults.add({ fault: { kind: 'slow', ms: 3_600_000 } })
    const refusal = expect(put(client, 'a')).rejects.toMatchObject({
      name: 'OperationAborted',
      $metadata: { httpStatusCode: 409, attempts: 1 },
    })
    await expect.poll(() => asleep.count).toBe(1)
    await s3.reset()
    await refusal
    expect(await keysOf(client)).toEqual([])
  })

  it('works at any time that a test sets', async () => {
    const clock = testClock(new Date('2001-01-01'))
    const { client } = await start({ listen, clock })
    await put(client, 'a')
    clock.advance(30 * 365 * 86_400_000)
    await put(client, 'a')
    const { LastModified } = await client.send(new GetObjectCommand({ Bucket: 'photos', Key: 'a' }))
    expect(LastModified?.getUTCFullYear()).toBe(2030)
  })

  it('makes buckets in the region that it is set to', async () => {
    const { s3 } = await start({ listen })
    const client = new S3Client({ ...s3.clientConfig, region: 'ap-southeast-2' })
    ends.push(() => client.destroy())
    await client.send(new CreateBucketCommand({ Bucket: 'here' }))
    expect((await s3.store.buckets.head('here')).region).toBe('ap-southeast-2')
  })
})

describe('a presigned URL', () => {
  it('opens an object until the clock of the test has passed its time', async () => {
    const clock = testClock()
    const { client } = await start({ clock })
    await put(client, 'a')
    const url = await getSignedUrl(client, new GetObjectCommand({ Bucket: 'photos', Key: 'a' }), { expiresIn: 600 })
    expect(await (await fetch(url)).text()).toBe('a')
    clock.advance(601_000)
    expect((await fetch(url)).status).toBe(403)
  })
})

describe('the clients of several servers without a port', () => {
  it('meet their own, also when one of them is ended', async () => {
    const [one, two] = [await start({ listen: false }), await start({ listen: false })]
    await Promise.all([put(one.client, 'one'), put(two.client, 'two')])
    const other = new S3Client(one.s3.clientConfig)
    await put(other, 'other')
    other.destroy()
    expect([await keysOf(one.client), await keysOf(two.client)]).toEqual([['one', 'other'], ['two']])
  })
})
