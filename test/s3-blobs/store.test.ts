/** What a blob store in a bucket does with what it finds there: markers, other objects, many blobs, old uploads. */
import { randomBytes } from 'node:crypto'
import type { BlobStore } from '@varve/core'
import { openS3Blobs, type S3BlobsOptions } from '@varve/adapters/s3'
import { createIdentity, parsePolicy } from 'varve/http'
import { startS3, testClock, type TestS3 } from 'varve/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { bytesOf, id, listed, readAll } from './support/bytes.ts'
import { freshPrefix, serverOf, startServer } from './support/bucket.ts'

let s3: TestS3
const opened: BlobStore[] = []

beforeAll(async () => {
  s3 = await startServer()
})
afterEach(async () => {
  s3.faults.clear()
  await Promise.all(opened.splice(0).map((blobs) => blobs.close()))
})
afterAll(() => s3.stop())

async function open(options: Partial<S3BlobsOptions> = {}): Promise<BlobStore> {
  const blobs = await openS3Blobs({ ...serverOf(s3), prefix: freshPrefix(), ...options })
  opened.push(blobs)
  return blobs
}

async function* bytes(size = 100) {
  yield bytesOf(size)
}

const put = (key: string, text = 'other') => s3.store.objects.put('blobs', key, text)

describe('the marker', () => {
  it('is made once by all that open an empty prefix at the same time', async () => {
    const prefix = freshPrefix()
    const empty = open({ prefix, create: false })
    await expect(empty).rejects.toMatchObject({ code: 'StoreNotFound', details: { kind: 'empty' } })
    const all = await Promise.all(Array.from({ length: 5 }, () => open({ prefix })))
    await all[0]?.write(id(1), bytes())
    for (const blobs of [...all, await open({ prefix, create: false })]) expect(await listed(blobs)).toEqual([id(1)])
    const versions = await s3.store.objects.listPage('blobs', { prefix })
    expect(versions.entries.length).toBe(2)
  })

  it('is missing where other objects are', async () => {
    const prefix = freshPrefix()
    await put(`${prefix}holiday.jpg`)
    for (const create of [true, false]) {
      const opening = open({ prefix, create })
      await expect(opening).rejects.toMatchObject({ code: 'StoreNotFound', details: { kind: 'foreign' } })
    }
    // A prefix ends with a slash, so a longer name is another one.
    expect(await listed(await open({ prefix: prefix.slice(0, -2) }))).toEqual([])
  })

  it.each(['', 'no JSON', '{}', 'null', '{"marker":"varve blobs"}', 'x'.repeat(5000)])(
    'is another object: %j',
    async (text) => {
      const prefix = freshPrefix()
      await put(`${prefix}varve-blobs.json`, text)
      const opening = open({ prefix })
      await expect(opening).rejects.toMatchObject({ code: 'StoreNotFound', details: { kind: 'foreign' } })
    },
  )

  it('names a newer format, or another store', async () => {
    const [newer, prefix] = [freshPrefix(), freshPrefix()]
    await put(`${newer}varve-blobs.json`, '{"marker":"varve blobs","version":2,"id":"a","store":""}')
    const details = { kind: 'newer' }
    await expect(open({ prefix: newer })).rejects.toMatchObject({ code: 'UnsupportedFormat', details })
    await open({ prefix, store: 'one' })
    await open({ prefix, store: 'one' })
    await open({ prefix })
    const other = open({ prefix, store: 'two' })
    await expect(other).rejects.toMatchObject({ code: 'StoreNotFound', details: { kind: 'otherStore' } })
  })

  it('stops an opening when the server refuses it', async () => {
    s3.faults.add({ when: { operation: 'PutObject' }, fault: { kind: 'error', code: 'AccessDenied' } })
    await expect(open()).rejects.toMatchObject({ code: 'BlobFailed', details: { kind: 'AccessDenied' } })
  })
})

describe('many blobs', () => {
  it('are listed and deleted page by page, and nothing else is', async () => {
    const prefix = freshPrefix()
    const blobs = await open({ prefix })
    const ids = Array.from({ length: 1050 }, () => randomBytes(16).toString('hex')).sort()
    for (const each of ids) await put(`${prefix}blobs/${each}`)
    const others = [
      `blobs/${id(1)}x`,
      `blobs/${'A'.repeat(32)}`,
      'blobs/',
      'blobs/sub/file',
      'notes',
      `blobs-2/${id(1)}`,
    ]
    for (const key of others) await put(prefix + key)
    expect(await listed(blobs)).toEqual(ids)
    await blobs.delete([...ids.slice(1), id(7), ...ids.slice(1)])
    expect(await listed(blobs)).toEqual(ids.slice(0, 1))
    const { entries } = await s3.store.objects.listPage('blobs', { prefix })
    expect(entries.length).toBe(others.length + 2)
  })

  it('of which one cannot be deleted are an error, and the others are gone', async () => {
    const prefix = freshPrefix()
    const kept = `arn:aws:s3:::blobs/${prefix}blobs/${id(2)}`
    const policy = parsePolicy({
      Version: '2012-10-17',
      Statement: [
        { Effect: 'Allow', Action: 's3:*', Resource: '*' },
        { Effect: 'Deny', Action: 's3:DeleteObject', Resource: kept },
      ],
    })
    const key = { accessKeyId: 'limited', secretAccessKey: 'limitedlimited' }
    const identity = createIdentity({ name: 'limited', ...key, policy })
    const limited = await startS3({ buckets: ['blobs'], identities: [identity] })
    try {
      const blobs = await openS3Blobs({ ...serverOf(limited), credentials: key, prefix, retries: 1 })
      for (const n of [1, 2, 3]) await blobs.write(id(n), bytes())
      const deletion = blobs.delete([1, 2, 3].map(id))
      await expect(deletion).rejects.toMatchObject({ code: 'BlobFailed', details: { kind: 'AccessDenied' } })
      expect(await listed(blobs)).toEqual([id(2)])
      await blobs.close()
    } finally {
      await limited.stop()
    }
  })
})

describe('a deleted blob with open handles', () => {
  it('is read by its open handles, is not opened or listed again, and goes with the last handle', async () => {
    const prefix = freshPrefix()
    const blobs = await open({ prefix })
    await blobs.write(id(1), bytes())
    const key = `${prefix}blobs/${id(1)}`
    const [one, two] = [await blobs.open(id(1)), await blobs.open(id(1))]
    await blobs.delete([id(1)])
    expect(await listed(blobs)).toEqual([])
    await expect(blobs.open(id(1))).rejects.toMatchObject({ code: 'BlobMissing' })
    await one.close()
    await one.close()
    const read = new Uint8Array(100)
    await two.read(read, 0)
    expect(Buffer.compare(read, bytesOf(100))).toBe(0)
    await two.close()
    await expect.poll(() => s3.store.objects.exists('blobs', key)).toBe(false)
  })

  it('goes with the store, or later if the server refuses it', async () => {
    const prefix = freshPrefix()
    const blobs = await openS3Blobs({ ...serverOf(s3), prefix, retries: 0 })
    for (const n of [1, 2]) await blobs.write(id(n), bytes())
    const [one, two] = [await blobs.open(id(1)), await blobs.open(id(2))]
    await blobs.delete([id(1), id(2)])
    const fault = s3.faults.add({ when: { operation: 'DeleteObjects' }, fault: { kind: 'error', code: 'SlowDown' } })
    await one.close()
    await expect.poll(() => fault.count).toBe(1)
    fault.remove()
    await blobs.close()
    await two.close()
    const { entries } = await s3.store.objects.listPage('blobs', { prefix: `${prefix}blobs/` })
    expect(entries).toEqual([])
  })
})

describe('a closed blob store', () => {
  it('ends reads in progress and refuses later calls', async () => {
    const blobs = await openS3Blobs({ ...serverOf(s3), prefix: freshPrefix() })
    await blobs.write(id(1), bytes(300_000))
    const handle = await blobs.open(id(1))
    await handle.read(new Uint8Array(100_000), 0)
    s3.faults.add({ when: { operation: 'GetObject' }, fault: { kind: 'slow', ms: 60_000 } })
    const reads = [100_000, 7].map((start) => handle.read(new Uint8Array(100_000), start))
    const ended = Promise.allSettled(reads)
    await blobs.close()
    const closed = { code: 'StoreClosed' }
    expect(await ended).toMatchObject(reads.map(() => ({ status: 'rejected', reason: closed })))
    await expect(handle.read(new Uint8Array(1), 0)).rejects.toMatchObject(closed)
    await handle.close()
    await expect(blobs.open(id(1))).rejects.toMatchObject(closed)
    await expect(blobs.write(id(2), bytes())).rejects.toMatchObject(closed)
    await expect(blobs.delete([id(1)])).rejects.toMatchObject(closed)
    await expect(blobs.discardUnfinished()).rejects.toMatchObject(closed)
    await expect(listed(blobs)).rejects.toMatchObject(closed)
  })
})

describe('an unfinished upload', () => {
  it('is removed when no process can continue it, by the clock of the server', async () => {
    const clock = testClock()
    const server = await startS3({ buckets: ['blobs'], clock })
    try {
      const prefix = freshPrefix()
      const blobs = await openS3Blobs({ ...serverOf(server), prefix })
      const begin = (key: string) => server.store.uploads.create('blobs', prefix + key)
      for (let n = 0; n < 12; n++) await begin(`blobs/${id(n)}`)
      await begin('other')
      await begin('blobs/other')
      expect(await blobs.discardUnfinished()).toBe(0)
      clock.advance(25 * 3_600_000)
      await begin(`blobs/${id(5000)}`)
      // Requests are now signed a day too early for the server.
      expect(await blobs.discardUnfinished()).toBe(12)
      const { entries } = await server.store.uploads.listPage('blobs')
      expect(entries.map((entry) => 'key' in entry && entry.key.slice(prefix.length))).toEqual([
        `blobs/${id(5000)}`,
        'blobs/other',
        'other',
      ])
      await blobs.close()
    } finally {
      await server.stop()
    }
  })
})

describe('a server without conditional requests', () => {
  it('gets requests without conditions', async () => {
    const blobs = await open()
    s3.faults.add({ when: { operation: 'PutObject' }, fault: { kind: 'error', code: 'NotImplemented' }, times: 1 })
    await blobs.write(id(1), bytes())
    await blobs.write(id(1), bytes(50))
    expect((await readAll(blobs, id(1))).length).toBe(50)
  })
})
