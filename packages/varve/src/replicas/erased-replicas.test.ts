import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Store } from '@varve/core'
import { memoryBlobs, memoryJournal, memoryMedium } from '@varve/adapters'
import { beforeEach, describe, expect, it } from 'vitest'
import { restoreStore, verifyReplica } from '../backups/replicas.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { ErasureWatch } from './erasure-watch.ts'

const scratch = scratchDirectory()
const secret = 'a secret that must go '
const patience = { timeout: 30_000 }

let home: string
let to: string

beforeEach(async () => {
  home = scratch.next()
  await mkdir(home)
  to = join(home, 'replica')
})

async function hasSecret(): Promise<boolean> {
  // Files come and go meanwhile.
  const entries = await readdir(to, { recursive: true, withFileTypes: true }).catch(() => [])
  const contentOf = async (path: string) => readFile(path).catch(() => Buffer.alloc(0))
  const files = entries.filter((one) => one.isFile()).map((one) => contentOf(join(one.parentPath, one.name)))
  return (await Promise.all(files)).some((bytes) => bytes.includes(secret))
}

const open = (everyMs: number) => openStore(join(home, 'one'), { replicas: [{ to, everyMs }] })

/** Small objects are rows in files of the replica, and large ones are blobs. */
const sizes = { small: 1, large: 10_000 } as const

describe('an erasure on purpose in a store with a replica', () => {
  it.each(Object.entries(sizes))('ends when the replica has nothing of a %s object', async (_size, count) => {
    const store = await open(20)
    await store.buckets.create('box')
    await store.objects.put('box', 'key', secret.repeat(count))
    // Small bytes are packed in its files.
    if (count > 1) await expect.poll(hasSecret).toBe(true)
    const done = await store.erase({ bucket: 'box', key: 'key', live: true })
    expect(done).toMatchObject({ pending: 0 })
    expect(done).not.toHaveProperty('replicas')
    expect(await hasSecret()).toBe(false)
    await store.close()
  })

  it('does not wait for the next turn of the replica', async () => {
    const store = await open(600_000)
    await store.buckets.create('box')
    await store.objects.put('box', 'key', secret.repeat(10_000))
    expect(await store.erase({ bucket: 'box', key: 'key', live: true })).toMatchObject({ pending: 0 })
    expect(await hasSecret()).toBe(false)
    await store.close()
  })

  it('ends on each of two stores that share a journal, of which one writes the replica', async () => {
    const medium = memoryMedium()
    const blobs = memoryBlobs()
    const openShared = async () =>
      openStore({ journal: await memoryJournal(medium), blobs }, { replicas: [{ to, everyMs: 20 }] })
    const stores = [await openShared(), await openShared()]
    await stores[0]?.buckets.create('box')
    for (const [i, store] of stores.entries()) {
      await store.objects.put('box', `key-${i}`, secret.repeat(10_000))
      await expect.poll(hasSecret, { timeout: 30_000 }).toBe(true)
      const done = await store.erase({ bucket: 'box', key: `key-${i}`, live: true })
      expect(done).toMatchObject({ pending: 0 })
      expect(done).not.toHaveProperty('replicas')
      expect(await hasSecret()).toBe(false)
    }
    for (const store of stores) await store.close()
  })

  it('is pending, and names the replica, while that cannot be written, also when it is repeated', async () => {
    const store = await openStore(join(home, 'one'), { replicas: [{ to, everyMs: 20 }], retentionMs: 0 })
    await store.buckets.create('box')
    for (const key of ['live', 'swept']) await store.objects.put('box', key, secret.repeat(10_000))
    await expect.poll(hasSecret, patience).toBe(true)
    await store.objects.delete('box', 'swept')
    await expect.poll(() => countErased(store), patience).toBe(1)
    await rename(join(to, 'replica'), join(to, 'away'))
    await writeFile(join(to, 'replica'), '')
    for (const key of ['live', 'swept', 'live', 'swept']) {
      const done = await store.erase({ bucket: 'box', key, live: true })
      expect(done).toMatchObject({ pending: 1, replicas: [to] })
    }
    await rm(join(to, 'replica'))
    await rename(join(to, 'away'), join(to, 'replica'))
    for (const key of ['live', 'swept']) {
      await expect.poll(() => store.erase({ bucket: 'box', key }), patience).toMatchObject({ pending: 0 })
    }
    expect(await hasSecret()).toBe(false)
    await store.close()
  }, 60_000)

  it('is carried out in the replica before the store is closed', async () => {
    const store = await open(600_000)
    await store.buckets.create('box')
    await store.objects.put('box', 'key', secret.repeat(10_000))
    const erased = new Promise<void>((resolve) => {
      store.subscribe((events) => events.some(({ type }) => type === 'ContentsErased') && resolve())
    })
    const erasing = store.erase({ bucket: 'box', key: 'key', live: true })
    await erased
    await Promise.all([store.close(), erasing])
    expect(await hasSecret()).toBe(false)
  })
})

describe('what a killed writer left unfinished in a replica', () => {
  it('neither keeps a blob from being written, nor has bytes that are erased', async () => {
    await (await open(20)).close()
    const alone = await openStore(join(home, 'one'))
    await alone.buckets.create('box')
    await alone.objects.put('box', 'key', secret.repeat(10_000))
    const blobs = (await readdir(join(home, 'one', 'blobs'), { recursive: true })).filter((name) => name.length > 30)
    await alone.close()
    expect(blobs).toHaveLength(1)
    for (const name of [...blobs.map((path) => basename(path)), 'f'.repeat(32)])
      await writeFile(join(to, 'tmp', name), secret)
    const store = await open(20)
    await expect.poll(async () => (await verifyReplica(to)).blobs, patience).toBe(1)
    expect(await store.erase({ bucket: 'box', key: 'key', live: true })).toMatchObject({ pending: 0 })
    expect(await hasSecret()).toBe(false)
    await store.close()
  })
})

describe('an erasure on purpose of what a sweep had erased before', () => {
  it('removes it from the replica, once, and from every moment that is restored', async () => {
    const store = await openStore(join(home, 'one'), { replicas: [{ to, everyMs: 20 }], retentionMs: 0 })
    await store.buckets.create('box')
    for (const [key, count] of Object.entries(sizes)) await store.objects.put('box', key, secret.repeat(count))
    const upload = await store.uploads.create('box', 'parts')
    const parts = []
    for (const number of [1, 2]) {
      parts.push(await store.uploads.uploadPart(upload, number, Buffer.alloc(5_300_000, `${secret}${number}`)))
    }
    const { seq: full } = await store.uploads.complete(upload, parts)
    const keys = [...Object.keys(sizes), 'parts']
    for (const key of keys) await store.objects.delete('box', key)
    await expect.poll(() => countErased(store), patience).toBe(3)
    expect(await hasSecret()).toBe(true)
    // While the replica still copies the bytes, an erasure says that they are pending.
    await expect.poll(async () => (await verifyReplica(to)).blobs, patience).toBe(4)

    const done = await store.erase({ bucket: 'box', prefix: '' })
    expect(done).toMatchObject({ entries: [], erasedBefore: 3, pending: 0, requests: [expect.any(Number)] })
    expect(done).not.toHaveProperty('replicas')
    expect(await hasSecret()).toBe(false)
    const { seq } = store
    expect(await store.erase({ bucket: 'box', prefix: '' })).toMatchObject({
      erasedBefore: 3,
      pending: 0,
      requests: [],
    })
    expect(store.seq).toBe(seq)
    expect((await store.verify()).divergences).toEqual([])
    await store.close()

    expect(await verifyReplica(to)).toMatchObject({ findings: [], damaged: 0, erased: 4 })
    await restoreStore(to, join(home, 'again'), { at: full })
    const again = await openStore(join(home, 'again'))
    for (const key of keys) {
      await expect(again.objects.get('box', key).then(({ text }) => text())).rejects.toMatchObject({
        code: 'ObjectErased',
      })
    }
    await again.close()
  }, 60_000)
})

async function countErased(store: Store): Promise<number> {
  let count = 0
  for await (const { type, data } of store.log()) if (type === 'ContentsErased') count += data.erased.length
  return count
}

describe('what waits for the erasures of a replica', () => {
  it('resolves when the replica has removed the bytes, and not before', async () => {
    const watch = new ErasureWatch()
    const ended: string[] = []
    const first = watch.removed(3).then((isRemoved) => ended.push(`3 ${isRemoved}`))
    const second = watch.removed(5).then((isRemoved) => ended.push(`5 ${isRemoved}`))
    await watch.wanted()
    watch.advance(4)
    await first
    expect(ended).toEqual(['3 true'])
    watch.advance(5)
    await second
    expect(ended).toEqual(['3 true', '5 true'])
    expect(await watch.removed(5)).toBe(true)
  })

  it('waits once for a replica that does not advance', async () => {
    const watch = new ErasureWatch(1)
    expect(await watch.removed(3)).toBe(false)
    expect(await watch.removed(4)).toBe(false)
    watch.advance(2)
    expect(await Promise.all([watch.removed(2), watch.removed(4)])).toEqual([true, false])
  })

  it('resolves at once when the replica is not written any more', async () => {
    const watch = new ErasureWatch()
    const waiting = watch.removed(3)
    watch.end()
    expect(await waiting).toBe(false)
    expect(await watch.removed(4)).toBe(false)
  })
})
