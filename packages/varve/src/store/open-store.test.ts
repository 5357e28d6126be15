import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openStoreDirectory } from '@varve/adapters'
import { describe, expect, it } from 'vitest'
import { openStore, type Store, verifyStore } from '../index.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'

const scratch = scratchDirectory()

async function withBucket(dir: string, options: Parameters<typeof openStore>[1] = {}): Promise<Store> {
  const store = await openStore(dir, options)
  await store.buckets.create('photos')
  return store
}

/** What a blob that was written and never named looks like: the remains of a crash between the two. */
async function leaveOrphan(dir: string): Promise<void> {
  const id = 'ab'.repeat(16)
  await mkdir(join(dir, 'blobs', 'ab'), { recursive: true })
  await writeFile(join(dir, 'blobs', 'ab', id), 'nobody names me')
}

const blobFiles = async (dir: string): Promise<string[]> =>
  (await readdir(join(dir, 'blobs'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

describe('openStore', () => {
  it('makes a store where there is none, private to its owner, and finds everything again', async () => {
    const dir = join(scratch.next(), 'deep', 'down')
    const store = await withBucket(dir)
    await store.objects.put('photos', 'a.txt', 'hello', { metadata: { mood: 'fine' } })
    const { storeId } = store
    expect(store.dir).toBe(dir)
    expect(storeId).toMatch(/^[0-9a-f]{32}$/)
    await store.close()
    expect((await stat(dir)).mode & 0o077).toBe(0)

    const again = await openStore(dir, { create: false })
    expect(again.storeId).toBe(storeId)
    const got = await again.objects.get('photos', 'a.txt')
    expect(got.metadata).toEqual({ mood: 'fine' })
    expect(await got.text()).toBe('hello')
    await again.close()
  })

  it('keeps objects beyond the inline limit as files', async () => {
    const dir = scratch.next()
    const store = await withBucket(dir, { inlineMax: 10 })
    await store.objects.put('photos', 'small', 'ten bytes!')
    expect(await blobFiles(dir)).toHaveLength(0)
    await store.objects.put('photos', 'large', 'eleven byte')
    expect(await blobFiles(dir)).toHaveLength(1)
    await store.close()
  })

  it('makes nothing when it must not create a store', async () => {
    const dir = scratch.next()
    await expect(openStore(dir, { create: false })).rejects.toMatchObject({ code: 'StoreNotFound' })
    await expect(stat(dir)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('leaves a directory alone that holds something else', async () => {
    const dir = scratch.next()
    await mkdir(dir)
    await writeFile(join(dir, 'letter.txt'), 'dear reader')
    await expect(openStore(dir)).rejects.toMatchObject({ code: 'StoreNotFound', details: { kind: 'foreign' } })
    expect(await readdir(dir)).toEqual(['letter.txt'])
  })

  it('refuses a second owner, and has one again after the first has closed', async () => {
    const dir = scratch.next()
    const store = await openStore(dir)
    await expect(openStore(dir)).rejects.toMatchObject({ code: 'StoreLocked' })
    await store.buckets.create('still-works')
    await store.close()
    await (await openStore(dir)).close()
  })

  it('lets the directory go when opening fails half way', async () => {
    const dir = scratch.next()
    await (await withBucket(dir)).close()
    await writeFile(join(dir, 'witness'), 'not a witness')
    await expect(openStore(dir)).rejects.toMatchObject({ code: 'LogCorrupt' })
    // Not StoreLocked: the directory is free.
    const directory = await openStoreDirectory(dir, { create: false })
    await directory.close()
  })

  it('fails with AcknowledgedWritesLost when the log is shorter than it was', async () => {
    const dir = scratch.next()
    await (await openStore(dir)).close()
    const early = await openStoreDirectory(dir)
    await early.witness.write({ seq: 3, hash: 'x'.repeat(43) })
    await early.close()
    await expect(openStore(dir)).rejects.toMatchObject({ code: 'AcknowledgedWritesLost' })
  })

  it.each([
    ['inlineMax', -1],
    ['inlineMax', 0.5],
    ['groupMax', 0],
    ['retentionMs', Number.NaN],
    ['sweepEveryMs', 2 ** 31],
    ['hashingThreads', -1],
    ['hashingThreads', 65],
    ['region', ''],
    ['actor', { id: '', name: 'x' }],
  ])('takes %s of %j for the mistake it is, before touching anything', async (name, value) => {
    const dir = scratch.next()
    await expect(openStore(dir, { [name]: value })).rejects.toMatchObject({ code: 'InvalidArgument' })
    await expect(stat(dir)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('gives up with the reason of its signal, and lets go', async () => {
    const dir = scratch.next()
    await (await withBucket(dir)).close()
    const reason = new Error('changed my mind')
    await expect(openStore(dir, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    await (await openStore(dir)).close()
  })

  it('acts for the given actor and in the given region', async () => {
    const store = await withBucket(scratch.next(), { actor: { id: 'ann', name: 'Ann' }, region: 'moon' })
    expect(await store.buckets.head('photos')).toMatchObject({ owner: { id: 'ann', name: 'Ann' }, region: 'moon' })
    const bob = store.as({ by: { id: 'bob', name: 'Bob' }, requestId: 'r1' })
    await bob.buckets.create('music')
    expect((await store.buckets.head('music')).owner.id).toBe('bob')
    expect(bob.storeId).toBe(store.storeId)
    await bob.close()
    expect(store.state).toBe('closed')
  })
})

describe('after a crash', () => {
  it('sweeps orphaned blobs in the background', async () => {
    const dir = scratch.next()
    const store = await withBucket(dir, { inlineMax: 0 })
    await store.objects.put('photos', 'kept', 'bytes')
    await store.close()
    await leaveOrphan(dir)
    expect(await blobFiles(dir)).toHaveLength(2)
    const again = await openStore(dir)
    await expect.poll(() => blobFiles(dir)).toHaveLength(1)
    expect(await (await again.objects.get('photos', 'kept')).text()).toBe('bytes')
    await again.close()
  })

  it('leaves them when that sweep is off', async () => {
    const dir = scratch.next()
    await (await withBucket(dir)).close()
    await leaveOrphan(dir)
    const again = await openStore(dir, { sweepOrphans: false })
    const report = await again.verify()
    expect(report.divergences.map(({ kind }) => kind)).toEqual(['BlobOrphan'])
    await again.close()
    // What is left of an interrupted write is no divergence, to the store and from outside.
    for (const { ok, leftovers } of [report, await verifyStore(dir)])
      expect({ ok, leftovers }).toEqual({ ok: true, leftovers: 1 })
    expect(await blobFiles(dir)).toHaveLength(1)
  })

  it('removes what a verification left behind', async () => {
    const dir = scratch.next()
    await (await withBucket(dir)).close()
    await mkdir(join(dir, 'scratch', '0123'), { recursive: true })
    await (await openStore(dir)).close()
    expect(await readdir(dir)).not.toContain('scratch')
  })
})

describe('retention', () => {
  it('ends by the clock, without another commit', async () => {
    const dir = scratch.next()
    const store = await withBucket(dir, { inlineMax: 0, retentionMs: 300, sweepEveryMs: 20 })
    await store.objects.put('photos', 'a', 'bytes')
    const { seq } = store
    await store.objects.delete('photos', 'a')
    const past = await store.at(seq)
    expect(await (await past.objects.get('photos', 'a')).text()).toBe('bytes')
    await expect.poll(() => blobFiles(dir), { timeout: 5000 }).toHaveLength(0)
    await expect(past.objects.get('photos', 'a')).rejects.toMatchObject({ code: 'ObjectErased' })
    await store.close()
  })
})

describe('verify', () => {
  it('makes the views again beside the stored ones and leaves no trace', async () => {
    const dir = scratch.next()
    const store = await withBucket(dir)
    await store.objects.put('photos', 'a', 'bytes')
    const stages = new Set<string>()
    const report = await store.verify({ onProgress: ({ stage }) => stages.add(stage) })
    expect(report).toMatchObject({ ok: true, events: 3, divergences: [] })
    expect(report.rows).toBeGreaterThan(2)
    expect([...stages]).toContain('views')
    await store.close()
    expect(await readdir(join(dir, 'scratch')).catch(() => [])).toEqual([])
  })

  it('finds a blob that changed on the disk', async () => {
    const dir = scratch.next()
    const store = await withBucket(dir, { inlineMax: 0 })
    await store.objects.put('photos', 'a', 'bytes')
    const [name = ''] = await blobFiles(dir)
    await writeFile(join(dir, 'blobs', name.slice(0, 2), name), 'bytez')
    const report = await store.verify()
    expect(report.divergences).toMatchObject([{ kind: 'BlobCorrupt', seq: 3 }])
    await store.close()
  })

  it('ends when the store is closed', async () => {
    const store = await withBucket(scratch.next())
    for (let i = 0; i < 50; i++) await store.objects.put('photos', `k${i}`, 'x')
    let closed: Promise<void> | undefined
    const verifying = store.verify({
      onProgress: () => {
        closed ??= store.close()
      },
    })
    await expect(verifying).rejects.toMatchObject({ code: 'StoreClosed' })
    await closed
  })
})

describe('rebuild', () => {
  it('that was given up half way is finished by the next opening', async () => {
    const dir = scratch.next()
    const store = await withBucket(dir)
    await Promise.all(Array.from({ length: 1100 }, (_, i) => store.objects.put('photos', `k${i}`, 'x')))
    const stop = new AbortController()
    const rebuilding = store.rebuild({ signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) })
    await expect(rebuilding).rejects.toThrow('enough')
    await store.close()
    const progress: number[] = []
    const again = await openStore(dir, { onProgress: ({ done }) => progress.push(done) })
    expect(progress.length).toBeGreaterThan(0)
    expect(await again.verify()).toMatchObject({ ok: true, events: 1102 })
    await again.close()
  })
})

describe('close', () => {
  it('may be called twice, and refuses what comes after', async () => {
    const store = await withBucket(scratch.next())
    await Promise.all([store.close(), store.close()])
    expect(store.state).toBe('closed')
    await expect(store.buckets.create('late')).rejects.toMatchObject({ code: 'StoreClosed' })
  })

  it('leaves every write under way wholly done or wholly refused', async () => {
    const dir = scratch.next()
    const store = await withBucket(dir, { inlineMax: 8 })
    const keys = Array.from({ length: 20 }, (_, i) => `k${i}`)
    const puts = keys.map((key, i) => store.objects.put('photos', key, 'x'.repeat(i)))
    const settled = Promise.allSettled(puts)
    await new Promise((resolve) => setTimeout(resolve, 3))
    await store.close()
    const outcomes = await settled
    const again = await openStore(dir)
    for (const [i, outcome] of outcomes.entries()) {
      const found = await again.objects.head('photos', `k${i}`).catch((error: { code: string }) => error.code)
      if (outcome.status === 'fulfilled') expect(found).toMatchObject({ size: i })
      else {
        expect(found).toBe('NoSuchKey')
        expect(outcome.reason).toMatchObject({ code: expect.stringMatching(/^(StoreClosed|BlobFailed)$/) as string })
      }
    }
    await again.close()
  })

  it('happens at the end of a scope that disposes of the store', async () => {
    const store = await openStore(scratch.next())
    await store[Symbol.asyncDispose]()
    expect(store.state).toBe('closed')
  })
})
