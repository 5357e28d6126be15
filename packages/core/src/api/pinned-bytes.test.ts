import { beforeEach, describe, expect, it } from 'vitest'
import type { EventType } from '../events/index.ts'
import { salvage } from '../repair/salvage.ts'
import { describeKey } from '../views/describe-key.ts'
import { codeOf, list } from './answers.fixture.ts'
import { type MemoryPorts, memoryJournal, memoryPorts } from './memory-ports.fixture.ts'
import { type OpenOptions, openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

let ports: MemoryPorts
let store: Store

beforeEach(async () => {
  ports = memoryPorts()
  await open()
  await store.buckets.create('box')
})

async function open(options: OpenOptions = { retentionMs: 0 }): Promise<void> {
  store = await openEngine(ports, { inlineMax: 0, ...options })
}

async function reopen(options?: OpenOptions): Promise<void> {
  await store.close()
  await open(options)
}

const put = (key: string, body: string, bucket = 'box') => store.objects.put(bucket, key, body)
const remove = (key: string, bucket = 'box') => store.objects.delete(bucket, key)
const blobs = (): number => ports.blobs.bytes.size

async function textAt(moment: string | number, key: string, bucket = 'box'): Promise<string> {
  const past = await store.at(moment)
  return past.objects.get(bucket, key).then((object) => object.text())
}

/** The stored rows and counters are those that the log makes. */
async function expectWhole(): Promise<void> {
  await store.sweep()
  const scratch = memoryJournal()
  expect((await store.verify({ scratch })).divergences).toEqual([])
}

describe('many bytes that snapshots keep', () => {
  const many = 1200

  async function removedBehind(name: string): Promise<void> {
    await Promise.all(Array.from({ length: many }, (_, i) => put(`k${i}`, 'x')))
    await store.snapshots.create(name)
    await Promise.all(Array.from({ length: many }, (_, i) => remove(`k${i}`)))
    await store.sweep()
  }

  it('are returned in steps, each in an event of its own, also if the store is closed in between', async () => {
    await removedBehind('s')
    expect(blobs()).toBe(many)
    await store.snapshots.delete('s')
    await reopen()
    await store.sweep()
    expect(blobs()).toBe(0)
    const settled = (await list(store.log())).flatMap((event) => (event.type === 'PinsSettled' ? [event.data] : []))
    expect(settled.reduce((sum, { released }) => sum + released.length, 0)).toBe(many)
    expect(settled.every(({ released }) => released.length <= 500)).toBe(true)
    expect(settled.filter((data) => data.settled !== undefined)).toHaveLength(1)
    await expectWhole()
  })

  it('are returned also if a content of parts has no bytes', async () => {
    const upload = await store.uploads.create('box', 'k')
    await store.uploads.complete(upload, [await store.uploads.uploadPart(upload, 1, '')])
    await store.snapshots.create('s')
    await remove('k')
    const pinned = () => [...ports.journal.rows.values()].filter(([key]) => describeKey(key).table === 'pinned').length
    expect(pinned()).toBe(1)
    await store.snapshots.delete('s')
    await store.sweep()
    expect(pinned()).toBe(0)
    await expectWhole()
  })

  it('are not read by a sweep, and do not delay the rest', async () => {
    await removedBehind('s')
    await put('later', 'later')
    await remove('later')
    let rows = 0
    const { cursor } = ports.journal
    ports.journal.cursor = (range) => {
      const found = cursor.call(ports.journal, range)
      return {
        ...found,
        next: async (count) => {
          const page = await found.next(count)
          rows += page.length
          return page
        },
      }
    }
    await store.sweep()
    expect(blobs()).toBe(many)
    expect(rows).toBeLessThan(100)
  })

  it('are not moved when a newer snapshot goes that shows them too', async () => {
    await put('first', 'first')
    await Promise.all(Array.from({ length: many }, (_, i) => put(`k${i}`, 'x')))
    await store.snapshots.create('old')
    await store.snapshots.create('new')
    await Promise.all(Array.from({ length: many }, (_, i) => remove(`k${i}`)))
    await store.snapshots.delete('new')
    await store.sweep()
    const settled = (await list(store.log())).flatMap((event) => (event.type === 'PinsSettled' ? [event.data] : []))
    expect(settled).toMatchObject([{ released: [], settled: expect.any(Object) as object }])
    await store.snapshots.delete('old')
    await store.sweep()
    expect(blobs()).toBe(1)
    await expectWhole()
  })
})

describe('a snapshot of one bucket', () => {
  beforeEach(async () => {
    await store.buckets.create('cache')
  })

  it('keeps the bytes of that bucket alone', async () => {
    await put('a', 'aaaa')
    await put('c', 'cc', 'cache')
    expect(await store.snapshots.create('s', { bucket: 'box' })).toMatchObject({ bucket: 'box' })
    await remove('a')
    await remove('c', 'cache')
    await store.sweep()
    expect(await store.usage()).toMatchObject({ kept: 0, pinned: 4 })
    expect(await store.usage({ bucket: 'box' })).toMatchObject({ kept: 0, pinned: 4 })
    expect(await store.usage({ bucket: 'cache' })).toMatchObject({ kept: 0, pinned: 0 })
    expect(await textAt('s', 'a')).toBe('aaaa')
    expect(await codeOf(textAt('s', 'c', 'cache'))).toBe('ObjectErased')
    await store.snapshots.delete('s')
    await store.sweep()
    expect(blobs()).toBe(0)
    await expectWhole()
  })

  it('keeps bytes that a copy shares with another bucket', async () => {
    await put('c', 'cc', 'cache')
    await store.objects.copy({ bucket: 'cache', key: 'c' }, 'box', 'copy')
    await store.snapshots.create('s', { bucket: 'box' })
    await remove('c', 'cache')
    await remove('copy')
    await store.sweep()
    expect(await textAt('s', 'copy')).toBe('cc')
    await store.snapshots.create('all', { at: 's' })
    await store.snapshots.delete('s')
    await store.sweep()
    expect(await textAt('all', 'copy')).toBe('cc')
    await store.snapshots.delete('all')
    await store.sweep()
    expect(blobs()).toBe(0)
    await expectWhole()
  })

  it('is about the bucket that had the name then', async () => {
    await put('a', 'old')
    const then = store.seq
    await store.snapshots.create('whole')
    await remove('a')
    await store.buckets.delete('box')
    await store.buckets.create('box')
    await store.snapshots.create('s', { bucket: 'box', at: then })
    await store.snapshots.delete('whole')
    await store.sweep()
    expect(await textAt('s', 'a')).toBe('old')
    await put('a', 'new')
    await remove('a')
    await store.sweep()
    expect(blobs()).toBe(1)
    await store.buckets.delete('box')
    expect(await codeOf(store.snapshots.create('t', { bucket: 'box' }))).toBe('NoSuchBucket')
    await expectWhole()
  })
})

describe('the budget', () => {
  const budget = { bytes: 100 }

  it('erases nothing that a snapshot keeps, and does not count it', async () => {
    await reopen({ retention: { keepMs: Number.MAX_SAFE_INTEGER } })
    await store.retention.set({ keepMs: Number.MAX_SAFE_INTEGER, budget })
    await put('old', 'o'.repeat(60))
    await remove('old')
    await put('kept', 'k'.repeat(500))
    await store.snapshots.create('s')
    await remove('kept')
    await store.sweep()
    expect(await store.usage()).toMatchObject({ kept: 60, pinned: 500 })
    await put('more', 'm'.repeat(60))
    await remove('more')
    await store.sweep()
    expect(await store.usage()).toMatchObject({ kept: 60, pinned: 500 })
    expect(await textAt('s', 'kept')).toBe('k'.repeat(500))
    await store.snapshots.delete('s')
    await store.sweep()
    expect(await store.usage()).toMatchObject({ kept: 60, pinned: 0 })
    await expectWhole()
  })

  it('sets aside what a snapshot of the past keeps, in place of erasing it', async () => {
    await reopen({ retention: { keepMs: Number.MAX_SAFE_INTEGER } })
    await put('a', 'a'.repeat(80))
    const then = store.seq
    await remove('a')
    await store.snapshots.create('s', { at: then })
    await store.retention.set({ keepMs: Number.MAX_SAFE_INTEGER, budget: { bytes: 10 } })
    await store.sweep()
    expect(await store.usage()).toMatchObject({ kept: 0, pinned: 80 })
    expect(await textAt('s', 'a')).toBe('a'.repeat(80))
  })
})

describe('verify', () => {
  it('finds bytes that are missing though a snapshot keeps them', async () => {
    await put('a', 'one')
    await store.snapshots.create('s')
    await remove('a')
    await store.sweep()
    for (const id of ports.blobs.bytes.keys()) ports.blobs.bytes.delete(id)
    const { divergences } = await store.verify({ scratch: memoryJournal() })
    expect(divergences.map(({ kind }) => kind)).toEqual(['BlobMissing'])
  })
})

describe('a salvage', () => {
  /** Salvages the log without the event of one type. */
  async function without(type: EventType): Promise<void> {
    const lost = (await list(store.log())).filter((event) => event.type === type).map(({ seq }) => seq)
    const to = store.seq
    await store.close()
    const { journal: from, hashing } = ports
    const into = memoryJournal()
    await salvage({ from, into, hashing, soundTo: 0, doubted: new Set(lost), to })
    ports = { ...ports, journal: into }
    await open()
  }

  beforeEach(async () => {
    await put('a', 'one')
    await store.snapshots.create('one', { bucket: 'box' })
    await store.snapshots.create('two')
    await remove('a')
    await store.sweep()
  })

  it('keeps snapshots, and what they keep', async () => {
    await put('b', 'lost')
    await store.buckets.setVersioning('box', 'Enabled')
    await without('VersioningSet')
    expect((await store.snapshots.list()).map(({ name }) => name)).toEqual(['one', 'two'])
    expect(await store.usage()).toMatchObject({ pinned: 3 })
    expect(await textAt('one', 'a')).toBe('one')
    await expectWhole()
  })

  it('has the snapshot again whose deletion it lost', async () => {
    await store.snapshots.delete('one')
    await without('SnapshotDeleted')
    expect((await store.snapshots.list()).map(({ name }) => name)).toEqual(['one', 'two'])
    await expectWhole()
  })

  it('loses the deletion of a snapshot that it lost', async () => {
    await store.snapshots.delete('one')
    await without('SnapshotCreated')
    expect(await store.snapshots.list()).toEqual([])
    expect((await list(store.log())).filter(({ type }) => type === 'EventLost')).toHaveLength(3)
    await expectWhole()
  })

  it('loses the snapshot of a bucket that it lost', async () => {
    await without('BucketCreated')
    expect((await store.snapshots.list()).map(({ name }) => name)).toEqual(['two'])
    await store.sweep({ orphans: true })
    await expectWhole()
  })

  it('of a log that erased what it has no deletion for reads it as erased', async () => {
    for (const name of ['one', 'two']) await store.snapshots.delete(name)
    await store.sweep()
    expect(blobs()).toBe(0)
    await without('SnapshotDeleted')
    expect(await codeOf(textAt('one', 'a'))).toBe('ObjectErased')
    expect(await store.usage()).toMatchObject({ live: 0, kept: 0, pinned: 0 })
    await expectWhole()
  })
})
