/** Stores over blobs in a bucket: one, several that share them, and stores whose bucket fails. */
import { memoryJournal, nodeHashing, randomIds, systemTimer } from '@varve/adapters'
import { cachedBlobs, openS3Blobs, type S3BlobsOptions } from '@varve/adapters/s3'
import type { BlobStore, Store } from '@varve/core'
import { twoEnginesCases } from '@varve/core/contracts'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from 'varve'
import type { TestS3 } from 'varve/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { bytesOf, listed } from './support/bytes.ts'
import { freshPrefix, serverOf, startServer } from './support/bucket.ts'

const mebibyte = 1024 * 1024
const partBytes = 5 * mebibyte

let s3: TestS3
const closings: (() => Promise<void>)[] = []

beforeAll(async () => {
  s3 = await startServer()
})
afterEach(async () => {
  s3.faults.clear()
  for (const close of closings.splice(0).reverse()) await close()
})
afterAll(() => s3.stop())

const openBlobs = (prefix: string, options: Partial<S3BlobsOptions> = {}) =>
  openS3Blobs({ ...serverOf(s3), prefix, partBytes, ...options })

/** Stores on one journal, each with blobs of its own over one prefix, as on several machines. */
async function stores(count: number, wrap: (blobs: BlobStore) => Promise<BlobStore> = async (blobs) => blobs) {
  const [prefix, journal] = [freshPrefix(), await memoryJournal()]
  closings.push(() => journal.close())
  const all: { readonly store: Store; readonly blobs: BlobStore }[] = []
  for (let n = 0; n < count; n++) {
    const blobs = await wrap(await openBlobs(prefix, { retries: 1 }))
    const store = await openStore({ journal, blobs }, { retentionMs: 0 })
    closings.push(async () => {
      await store.close()
      await blobs.close()
    })
    all.push({ store, blobs })
  }
  return all
}

const same = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0

async function onDisk(blobs: BlobStore): Promise<BlobStore> {
  const directory = await mkdtemp(join(tmpdir(), 'varve-cache-'))
  closings.push(() => rm(directory, { recursive: true }))
  return cachedBlobs(blobs, { directory, maxBytes: 8 * mebibyte })
}

describe.each([
  ['', undefined],
  [', with copies on a disk', onDisk],
])('a store over a bucket%s', (_, wrap) => {
  it('puts, reads, completes, removes and verifies long objects', async () => {
    const [{ store, blobs } = expect.fail()] = await stores(1, wrap)
    await store.buckets.create('box')
    const [short, long] = [bytesOf(mebibyte + 5, 1), bytesOf(2 * partBytes + 7, 2)]
    await store.objects.put('box', 'short', short)
    await store.objects.put('box', 'long', long)
    const upload = await store.uploads.create('box', 'parts')
    const parts = [await store.uploads.uploadPart(upload, 1, long), await store.uploads.uploadPart(upload, 2, short)]
    await store.uploads.complete(upload, parts)
    for (let round = 0; round < 2; round++) {
      expect(same(await (await store.objects.get('box', 'short')).bytes(), short)).toBe(true)
      const range = { first: partBytes - 10, last: partBytes + 3 * mebibyte }
      const part = await (await store.objects.get('box', 'long', { range })).bytes()
      expect(same(part, long.subarray(range.first, range.last + 1))).toBe(true)
      const tail = await (await store.objects.get('box', 'parts', { range: { suffix: short.length } })).bytes()
      expect(same(tail, short)).toBe(true)
    }
    expect((await store.verify()).ok).toBe(true)
    expect((await listed(blobs)).length).toBe(4)
    for (const key of ['short', 'long', 'parts']) await store.objects.delete('box', key)
    await store.sweep()
    expect(await listed(blobs)).toEqual([])
  })
})

describe('two stores over one bucket', () => {
  it('read what the other wrote, and neither takes bytes that the other reads or writes', async () => {
    const [one = expect.fail(), two = expect.fail()] = await stores(2)
    await one.store.buckets.create('box')
    const bytes = bytesOf(3 * mebibyte)
    await one.store.objects.put('box', 'k', bytes)
    const reading = await two.store.objects.get('box', 'k')
    await one.store.objects.delete('box', 'k')
    let left = partBytes + mebibyte
    async function* slow() {
      for (; left > 0; left -= mebibyte) {
        yield bytesOf(mebibyte)
        if (left === 2 * mebibyte) {
          await one.store.sweep()
          await one.store.sweep({ orphans: true })
        }
      }
    }
    await two.store.objects.put('box', 'slow', slow())
    expect(same(await reading.bytes(), bytes)).toBe(true)
    const written = await one.store.objects.get('box', 'slow')
    expect((await written.bytes()).length).toBe(partBytes + mebibyte)
    expect(await one.store.sweep({ orphans: true })).toMatchObject({ orphans: 0 })
  })

  it('find what a killed process left', async () => {
    const [one = expect.fail(), two = expect.fail()] = await stores(2)
    await one.store.buckets.create('box')
    await one.blobs.write(randomIds.next(), chunk())
    await one.store.objects.put('box', 'k', bytesOf(100_000))
    expect(await two.store.sweep({ orphans: true })).toMatchObject({ orphans: 1 })
    expect((await listed(two.blobs)).length).toBe(1)
  })
})

describe('objects of other programs in the bucket', () => {
  it('are no orphans, and stay', async () => {
    const [{ store, blobs } = expect.fail()] = await stores(1)
    await store.buckets.create('box')
    await store.objects.put('box', 'k', bytesOf(100_000))
    const before = await keysIn()
    const [name = '', marker = ''] = before.slice(-2)
    const prefix = marker.slice(0, marker.lastIndexOf('/') + 1)
    expect([name.startsWith(`${prefix}blobs/`), marker]).toEqual([true, `${prefix}varve-blobs.json`])
    const others = ['blobs/holiday.jpg', 'blobs/sub/file', `blobs/${'F'.repeat(32)}`, 'notes.txt', 'quarantine/x']
    for (const key of [...others.map((each) => prefix + each), 'elsewhere.txt']) {
      await s3.store.objects.put('blobs', key, 'of another program')
    }
    await blobs.write(randomIds.next(), chunk())
    const all = await keysIn()
    expect(await store.sweep({ orphans: true })).toMatchObject({ orphans: 1 })
    const left = await keysIn()
    expect([all.length - left.length, left.length - before.length]).toEqual([1, others.length + 1])
    expect((await listed(blobs)).length).toBe(1)
    expect((await store.verify()).ok).toBe(true)
  })
})

/** In their order. */
async function keysIn(): Promise<readonly string[]> {
  const { entries } = await s3.store.objects.listPage('blobs', { prefix: '', limit: 1000 })
  return entries.map((entry) => ('key' in entry ? entry.key : ''))
}

async function* chunk() {
  yield bytesOf(1000)
}

/** A blob store that is opened by its first call. */
function whenOpen(opening: Promise<BlobStore>): BlobStore {
  return {
    write: async (...given) => (await opening).write(...given),
    open: async (id) => (await opening).open(id),
    delete: async (ids) => (await opening).delete(ids),
    async *list() {
      yield* (await opening).list()
    },
    discardUnfinished: async () => (await opening).discardUnfinished(),
    close: async () => (await opening).close(),
  }
}

describe('engines on one journal', async () => {
  const machine = {
    hashing: await nodeHashing(),
    ids: randomIds,
    timer: systemTimer,
    openBlobs: () => whenOpen(openBlobs(freshPrefix())),
  }
  // The others have no long objects.
  const long = twoEnginesCases(machine).filter(({ name }) => /many commits|upload|bytes stay|for long/.test(name))
  for (const { name, run } of long) {
    it(name, () => run(async () => ({ instance: await memoryJournal(), reopen: () => memoryJournal() })))
  }
})

describe('a store whose bucket fails', () => {
  it.each(['SlowDown', 'AccessDenied', 'ExpiredToken'] as const)(
    'with %s goes on when it works again',
    async (code) => {
      const [{ store, blobs } = expect.fail()] = await stores(1)
      await store.buckets.create('box')
      await store.objects.put('box', 'k', bytesOf(100_000))
      s3.faults.add({ fault: { kind: 'error', code } })
      const failed = { code: 'BlobFailed', details: { kind: code } }
      await expect(store.objects.put('box', 'k', bytesOf(100_000, 2))).rejects.toMatchObject(failed)
      // Under load, the answer to HEAD has no code.
      const reading = (async () => (await store.objects.get('box', 'k')).bytes())()
      await expect(reading).rejects.toMatchObject({ code: 'BlobFailed' })
      await store.objects.put('box', 'short', 'a text in the journal')
      await store.objects.delete('box', 'k')
      await expect(store.sweep()).rejects.toMatchObject(failed)
      s3.faults.clear()
      expect(store.state).toBe('open')
      await store.objects.put('box', 'k', bytesOf(100_000, 3))
      await store.sweep()
      expect((await listed(blobs)).length).toBe(1)
      expect(same(await (await store.objects.get('box', 'k')).bytes(), bytesOf(100_000, 3))).toBe(true)
    },
  )

  it('never serves other bytes than those that were written', async () => {
    const [{ store, blobs } = expect.fail()] = await stores(1)
    await store.buckets.create('box')
    await store.objects.put('box', 'k', bytesOf(100_000))
    const [id = ''] = await listed(blobs)
    const { entries } = await s3.store.objects.listPage('blobs', { prefix: '', limit: 1000 })
    const key = entries.map((entry) => ('key' in entry ? entry.key : '')).find((each) => each.endsWith(id))
    await s3.store.objects.put('blobs', key ?? '', bytesOf(100_000, 2))
    const reading = (async () => (await store.objects.get('box', 'k')).bytes())()
    await expect(reading).rejects.toMatchObject({ code: 'BlobCorrupt' })
  })
})
