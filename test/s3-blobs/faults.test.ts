/** What a blob store in a bucket does when its server, or the way to it, fails. */
import type { BlobStore, ByteSource } from '@varve/core'
import { openS3Blobs, type S3BlobsOptions } from '@varve/adapters/s3'
import { type FaultRule, startS3, type TestS3 } from 'varve/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { bytesOf, id, listed, readAll } from './support/bytes.ts'
import { freshPrefix, serverOf, startServer } from './support/bucket.ts'
import { type FaultProxy, faultProxy } from './support/fault-proxy.ts'

const mebibyte = 1024 * 1024
const partBytes = 5 * mebibyte
const long = partBytes + 1234

let s3: TestS3
let proxy: FaultProxy
let prefix: string
const opened: BlobStore[] = []

beforeAll(async () => {
  s3 = await startServer()
  proxy = await faultProxy(s3.port as number)
})
afterEach(async () => {
  s3.faults.clear()
  proxy.always(undefined)
  await Promise.all(opened.splice(0).map((blobs) => blobs.close().catch(() => undefined)))
})
afterAll(async () => {
  await proxy.stop()
  await s3.stop()
})

async function open(options: Partial<S3BlobsOptions> = {}): Promise<BlobStore> {
  prefix = freshPrefix()
  const all = { ...serverOf(s3), prefix, partBytes, timeoutMs: 5000, ...options }
  const blobs = await openS3Blobs(all)
  opened.push(blobs)
  return blobs
}
const openThroughProxy = (options: Partial<S3BlobsOptions> = {}) =>
  open({ endpoint: proxy.url, timeoutMs: 700, connections: 1, ...options })

async function* chunks(size: number, seed = 1): ByteSource {
  const bytes = bytesOf(size, seed)
  for (let at = 0; at < size; at += mebibyte) yield bytes.subarray(at, at + mebibyte)
}

/** The unfinished uploads of the blob store that was opened last. */
const uploads = async () => {
  const { entries } = await s3.store.uploads.listPage('blobs', { prefix })
  return entries.length
}

/** A write that fails leaves nothing: no blob, no name, no unfinished upload. */
async function expectNothing(blobs: BlobStore, n: number): Promise<void> {
  await expect(blobs.open(id(n))).rejects.toMatchObject({ code: 'BlobMissing' })
  expect(await listed(blobs)).toEqual([])
  expect(await uploads()).toBe(0)
}

describe('a write whose requests fail for a while', () => {
  const passing: readonly (readonly [string, FaultRule])[] = [
    ['a refusal under load', { fault: { kind: 'error', code: 'SlowDown' }, times: 2 }],
    ['an internal error', { fault: { kind: 'error', code: 'InternalError' }, times: 2 }],
    ['a proxy without its server', { fault: { kind: 'status', status: 503 }, times: 2 }],
    ['a lost connection', { fault: { kind: 'disconnect' }, times: 2 }],
    ['a lost answer', { fault: { kind: 'disconnect', afterBytes: 0 }, times: 1 }],
    ['expired credentials that are new again', { fault: { kind: 'error', code: 'ExpiredToken' }, times: 1 }],
  ]
  it.each(passing)('goes on after %s, whichever request meets it', async (_, rule) => {
    const blobs = await open()
    const operations = ['PutObject', 'CreateMultipartUpload', 'UploadPart', 'CompleteMultipartUpload']
    const faults = operations.map((operation) => s3.faults.add({ ...rule, when: { operation } }))
    for (const [n, size] of [70_000, long].entries()) {
      expect(await blobs.write(id(n), chunks(size, n))).toBe(size)
      expect(Buffer.compare(await readAll(blobs, id(n)), bytesOf(size, n))).toBe(0)
    }
    expect(faults.map(({ count }) => count)).toEqual(operations.map(() => rule.times))
    expect(await listed(blobs)).toEqual([id(0), id(1)])
  })

  it.each(['HeadObject', 'GetObject', 'ListObjectsV2', 'DeleteObjects'] as const)(
    'so does a request %s',
    async (operation) => {
      const blobs = await open()
      await blobs.write(id(1), chunks(70_000))
      for (const fault of [
        { kind: 'error', code: 'SlowDown' },
        { kind: 'disconnect', afterBytes: 20 },
      ] as const) {
        const met = s3.faults.add({ when: { operation }, fault, times: 2 })
        expect((await readAll(blobs, id(1))).length).toBe(70_000)
        expect(await listed(blobs)).toEqual([id(1)])
        await blobs.delete([id(2)])
        expect(met.count).toBe(2)
        met.remove()
      }
      await blobs.delete([id(1)])
      await expectNothing(blobs, 1)
    },
  )
})

describe('a write whose requests fail', () => {
  const lasting: readonly (readonly [string, FaultRule['fault'], string])[] = [
    ['without rights', { kind: 'error', code: 'AccessDenied' }, 'AccessDenied'],
    ['with expired credentials', { kind: 'error', code: 'ExpiredToken' }, 'ExpiredToken'],
    ['in a storm of refusals', { kind: 'error', code: 'SlowDown' }, 'SlowDown'],
    ['without a server', { kind: 'status', status: 502 }, 'status502'],
  ]
  it.each(lasting)('%s, leaves nothing and keeps its code', async (_, fault, kind) => {
    const blobs = await open({ retries: 1 })
    const operations = ['PutObject', 'CreateMultipartUpload', 'UploadPart', 'CompleteMultipartUpload'] as const
    for (const [n, operation] of operations.entries()) {
      const met = s3.faults.add({ when: { operation }, fault })
      const writing = blobs.write(id(n), chunks(operation === 'PutObject' ? 10 : long))
      await expect(writing).rejects.toMatchObject({ code: 'BlobFailed', details: { kind } })
      met.remove()
      await expectNothing(blobs, n)
    }
  })

  it('leaves nothing if all answers to its creation are lost', async () => {
    const blobs = await open({ retries: 0 })
    for (const [n, operation] of (['PutObject', 'CompleteMultipartUpload'] as const).entries()) {
      const met = s3.faults.add({ when: { operation }, fault: { kind: 'disconnect', afterBytes: 0 } })
      const writing = blobs.write(id(n), chunks(operation === 'PutObject' ? 10 : long))
      await expect(writing).rejects.toMatchObject({ code: 'BlobFailed' })
      met.remove()
      await expectNothing(blobs, n)
    }
  })

  it('says that there is no room', async () => {
    const blobs = await open({ retries: 1 })
    s3.faults.add({ when: { operation: 'PutObject' }, fault: { kind: 'status', status: 507 } })
    await expect(blobs.write(id(1), chunks(10))).rejects.toMatchObject({ code: 'NoSpace' })
  })

  it('leaves a source that does not answer', async () => {
    const blobs = await open({ retries: 0 })
    s3.faults.add({ when: { operation: 'UploadPart' }, fault: { kind: 'error', code: 'AccessDenied' } })
    async function* source(): ByteSource {
      yield bytesOf(partBytes + 1)
      await new Promise<never>(() => undefined)
    }
    await expect(blobs.write(id(1), source())).rejects.toMatchObject({ details: { kind: 'AccessDenied' } })
  })

  it('leaves nothing after an abort, an error of the source, or the closing of the store', async () => {
    const blobs = await open()
    const reason = new RangeError('enough')
    const abort = new AbortController()
    async function* aborted(): ByteSource {
      yield bytesOf(partBytes + 1)
      abort.abort(reason)
      await new Promise<never>(() => undefined)
    }
    await expect(blobs.write(id(1), aborted(), abort.signal)).rejects.toBe(reason)
    async function* failing(): ByteSource {
      yield bytesOf(partBytes + 1)
      throw reason
    }
    await expect(blobs.write(id(1), failing())).rejects.toBe(reason)
    await expectNothing(blobs, 1)
    async function* endless(): ByteSource {
      yield bytesOf(partBytes + 1)
      void blobs.close()
      await new Promise<never>(() => undefined)
    }
    await expect(blobs.write(id(1), endless())).rejects.toMatchObject({ code: 'StoreClosed' })
    expect(await uploads()).toBe(0)
  })

  it('never replaces the blob of another write', async () => {
    const blobs = await open()
    await blobs.write(id(1), chunks(10, 1))
    for (const size of [10, long]) {
      const second = blobs.write(id(1), chunks(size, 2))
      await expect(second).rejects.toMatchObject({ code: 'BlobFailed', details: { kind: 'exists' } })
      expect(Buffer.compare(await readAll(blobs, id(1)), bytesOf(10, 1))).toBe(0)
      expect(await uploads()).toBe(0)
    }
  })
})

describe('a connection that breaks', () => {
  it.each(['cut', 'stall', 'flip'] as const)('%s in the middle of a request: the bytes arrive', async (kind) => {
    const blobs = await openThroughProxy()
    for (const [n, size] of [200_000, long].entries()) {
      proxy.drop()
      proxy.next({ direction: 'up', after: 150_000, kind })
      expect(await blobs.write(id(n), chunks(size, n))).toBe(size)
      expect(Buffer.compare(await readAll(blobs, id(n)), bytesOf(size, n))).toBe(0)
    }
  })

  it.each(['cut', 'stall'] as const)('%s in the middle of an answer: the bytes arrive', async (kind) => {
    const blobs = await openThroughProxy()
    await blobs.write(id(1), chunks(long))
    const handle = await blobs.open(id(1))
    for (const after of [10, 400, 300_000]) {
      proxy.drop()
      proxy.next({ direction: 'down', after, kind })
      const bytes = new Uint8Array(long)
      await handle.read(bytes, 0)
      expect(Buffer.compare(bytes, bytesOf(long))).toBe(0)
    }
  })

  it.each(['cut', 'stall'] as const)(
    '%s in an answer with bytes that are fetched ahead: the bytes arrive',
    async (kind) => {
      const blobs = await openThroughProxy({ connections: 2 })
      await blobs.write(id(1), chunks(long))
      const handle = await blobs.open(id(1))
      proxy.drop()
      // The first run passes, and the second one begins a part that breaks.
      proxy.next({ direction: 'down', after: 3 * mebibyte, kind })
      for (let at = 0; at < long; at += mebibyte) {
        const bytes = new Uint8Array(Math.min(mebibyte, long - at))
        await handle.read(bytes, at)
        expect(Buffer.compare(bytes, bytesOf(long).subarray(at, at + mebibyte))).toBe(0)
      }
      await handle.close()
    },
  )

  it.each(['cut', 'stall'] as const)('%s each time: every call ends in time, with a code', async (kind) => {
    const blobs = await openThroughProxy({ retries: 1, timeoutMs: 150 })
    await blobs.write(id(1), chunks(200_000))
    const handle = await blobs.open(id(1))
    for (const direction of ['up', 'down'] as const) {
      proxy.drop()
      proxy.always({ direction, after: 100, kind })
      const failed = { code: 'BlobFailed' }
      await expect(handle.read(new Uint8Array(10), 0)).rejects.toMatchObject(failed)
      await expect(blobs.write(id(2), chunks(100_000))).rejects.toMatchObject(failed)
      await expect(blobs.open(id(1))).rejects.toMatchObject(failed)
      await expect(blobs.delete([id(9)])).rejects.toMatchObject(failed)
      await expect(listed(blobs)).rejects.toMatchObject(failed)
    }
    proxy.always(undefined)
    proxy.drop()
    expect(await listed(blobs)).toContain(id(1))
  })

  it('a second request overtakes one that stalls', async () => {
    const blobs = await openThroughProxy({ connections: 2, timeoutMs: 20_000, hedgeMs: 50 })
    await blobs.write(id(1), chunks(200_000))
    const handle = await blobs.open(id(1))
    proxy.drop()
    proxy.next({ direction: 'down', after: 100_000, kind: 'stall' })
    const bytes = new Uint8Array(200_000)
    const start = performance.now()
    await handle.read(bytes, 0)
    expect(Buffer.compare(bytes, bytesOf(200_000))).toBe(0)
    expect(performance.now() - start).toBeLessThan(15_000)
  })
})

describe('credentials', () => {
  it('are requested again when the server calls them expired', async () => {
    let calls = 0
    const credentials = async () => {
      calls++
      return s3.credentials
    }
    const blobs = await open({ credentials })
    const before = calls
    for (const operation of ['HeadObject', 'GetObject']) {
      s3.faults.add({ when: { operation }, fault: { kind: 'error', code: 'ExpiredToken' }, times: 1 })
    }
    await blobs.write(id(1), chunks(10))
    await (await blobs.open(id(1))).close()
    expect(calls).toBeGreaterThan(before)
  })

  it('that do not come end the call in time', async () => {
    const never = () => new Promise<never>(() => undefined)
    const opening = open({ credentials: never, timeoutMs: 200, retries: 1 })
    await expect(opening).rejects.toMatchObject({ code: 'BlobFailed', details: { kind: 'timeout' } })
  })

  it('of another are no AccessDenied of a client', async () => {
    const opening = open({ credentials: { accessKeyId: 'other', secretAccessKey: 'wrong' } })
    await expect(opening).rejects.toMatchObject({ code: 'BlobFailed', details: { kind: 'InvalidAccessKeyId' } })
  })
})

describe('a blob that is not what was opened', () => {
  it('is never read: replaced, shortened or deleted by another program', async () => {
    const blobs = await open()
    const key = `${prefix}blobs/${id(1)}`
    await blobs.write(id(1), chunks(1000))
    const handle = await blobs.open(id(1))
    await s3.store.objects.put('blobs', key, bytesOf(1000, 2))
    const read = () => handle.read(new Uint8Array(10), 5)
    await expect(read()).rejects.toMatchObject({ code: 'BlobFailed', details: { kind: 'PreconditionFailed' } })
    await s3.store.objects.delete('blobs', key)
    await expect(read()).rejects.toMatchObject({ code: 'BlobMissing' })
  })

  it('is not missing if the bucket is', async () => {
    const other = await startS3({ buckets: ['blobs'] })
    const blobs = await openS3Blobs({ ...serverOf(other), retries: 0 })
    try {
      await other.store.objects.delete('blobs', 'varve/varve-blobs.json')
      await other.store.buckets.delete('blobs')
      const details = { kind: 'NoSuchBucket' }
      await expect(blobs.open(id(1))).rejects.toMatchObject({ code: 'BlobFailed', details })
      await expect(listed(blobs)).rejects.toMatchObject({ code: 'BlobFailed', details })
      await expect(openS3Blobs(serverOf(other))).rejects.toMatchObject({ code: 'StoreNotFound', details })
    } finally {
      await blobs.close()
      await other.stop()
    }
  })
})
