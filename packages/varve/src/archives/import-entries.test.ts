/** Several entries are always under way, and a large one holds up none. */
import type { Store } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore } from '../store/memory-store.ts'
import { importEntries, type ImportJob } from './import-entries.ts'
import type { ImportedEntry, ImportedObject, ImportProgress } from './import-entry.ts'

const large = 1024 * 1024
let store: Store

beforeEach(async () => {
  store = await memoryStore()
  await store.buckets.create('files', { versioning: 'Enabled' })
})
afterEach(() => store.close())

const object = (key: string, size = 10, more: Partial<ImportedObject> = {}): ImportedObject => ({
  kind: 'object',
  key,
  size,
  facts: {},
  isLasting: true,
  async *read() {
    yield new Uint8Array(size)
  },
  ...more,
})

async function* each(entries: readonly ImportedEntry[]): AsyncGenerator<ImportedEntry> {
  yield* entries
}

const jobOf = (more: Partial<ImportJob> = {}): ImportJob => ({
  bucket: 'files',
  isNew: false,
  withHistory: false,
  onConflict: 'refuse',
  ...more,
})

/** A content that ends when it is released. */
function stalled(): { readonly read: () => AsyncGenerator<Uint8Array>; readonly release: () => void } {
  let release = (): void => undefined
  const promise = new Promise<void>((resolve) => (release = resolve))
  return {
    async *read() {
      yield new Uint8Array(large / 2)
      await promise
      yield new Uint8Array(large / 2)
    },
    release: () => release(),
  }
}

const until = async (isTrue: () => boolean): Promise<void> => {
  for (const end = Date.now() + 30_000; !isTrue() && Date.now() < end; ) await new Promise((go) => setTimeout(go, 5))
  expect(isTrue()).toBe(true)
}

describe.each([false, true])('an import (with history: %s)', (withHistory) => {
  it('stores the small ones behind a large one that is not done', async () => {
    const { read, release } = stalled()
    const small = Array.from({ length: 100 }, (_, n) => object(`small/${n}`))
    let seen: ImportProgress | undefined
    const job = jobOf({ withHistory, onProgress: (progress) => (seen = progress) })
    const work = importEntries(store, job, each([object('large', large, { read }), ...small]))
    await until(() => seen?.stored === 100)
    expect(seen?.done).toEqual({ objects: 100, bytes: 1000 + large / 2 })
    release()
    expect(await work).toMatchObject({ stored: 101, bytes: 1000 + large })
    expect(seen?.done).toEqual({ objects: 101, bytes: 1000 + large })
  })

  it('stores small ones of an archive while a large one is read from it', async () => {
    const { read, release } = stalled()
    const slow = stalled()
    const entries = [
      object('slow', 10, { isLasting: false }),
      object('large', large, { read, isLasting: false }),
      object('last', large, { read: slow.read, isLasting: false }),
    ]
    let seen: ImportProgress | undefined
    const job = jobOf({ withHistory, onProgress: (progress) => (seen = progress) })
    const work = importEntries(store, job, each(entries))
    await until(() => seen?.stored === 1)
    release()
    slow.release()
    expect(await work).toMatchObject({ stored: 3 })
  })

  it('closes every entry, also those that are not stored', async () => {
    let open = 0
    const entries = Array.from({ length: 200 }, (_, n) => {
      const { read: of } = object('')
      const read = n === 50 ? () => failing() : of
      return object(`k${n}`, 10, { read, close: async () => void open-- })
    })
    async function* opening(): AsyncGenerator<ImportedEntry> {
      for (const entry of entries) {
        open++
        yield entry
      }
    }
    await expect(importEntries(store, jobOf({ withHistory }), opening())).rejects.toThrow('unreadable')
    expect(open).toBe(0)
  })
})

describe.each([10, large])('an import of objects of %d bytes that is aborted', (size) => {
  it('waits for what is being stored, counts it, and begins nothing new', async () => {
    const entries = Array.from({ length: 40 }, (_, n) => object(`k${n}`, size))
    const controller = new AbortController()
    let seen: ImportProgress | undefined
    const onProgress = (progress: ImportProgress): void => {
      seen = progress
      controller.abort(new Error('stopped'))
    }
    const cut = importEntries(store, jobOf({ signal: controller.signal, onProgress }), each(entries))
    await expect(cut).rejects.toThrow('stopped')
    const { seq } = store
    const { entries: there } = await store.objects.listPage('files')
    expect(there.length).toBeLessThan(40)
    expect(seen?.stored ?? 0).toBe(there.length)
    const rest = { stored: 40 - there.length, unchanged: there.length }
    expect(await importEntries(store, jobOf(), each(entries))).toMatchObject(rest)
    expect(store.seq - seq).toBe(rest.stored)
  })
})

async function* failing(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(5)
  throw new Error('unreadable')
}

it('keeps the order of the versions of each key', async () => {
  const entries = Array.from({ length: 20 }, (_, key) =>
    Array.from(
      { length: 4 },
      (__, n): ImportedEntry =>
        n === 2
          ? { kind: 'marker', key: `k${key}` }
          : object(`k${key}`, n === 1 ? large : n + 1, { isLasting: n % 2 === 1 }),
    ),
  ).flat()
  const job = jobOf({ withHistory: true })
  expect(await importEntries(store, job, each(entries))).toMatchObject({ stored: 60, markers: 20 })
  for (let key = 0; key < 20; key++) {
    const sizes: (number | string)[] = []
    for await (const version of store.versions.list('files', { prefix: `k${key}` }))
      if (version.kind !== 'prefix' && version.key === `k${key}`)
        sizes.push(version.kind === 'marker' ? version.kind : version.size)
    expect(sizes).toEqual([4, 'marker', large, 1])
  }
  expect(await importEntries(store, job, each(entries))).toMatchObject({ stored: 0, unchanged: 80 })
})

it('finds what others have stored in a bucket that it created', async () => {
  await store.objects.put('files', 'same', new Uint8Array(10))
  await store.objects.put('files', 'other', 'x')
  const entries = [object('same'), object('other'), object('new')]
  const job = jobOf({ isNew: true, onConflict: 'skip' })
  expect(await importEntries(store, job, each(entries))).toMatchObject({ stored: 1, unchanged: 1, skipped: 1 })
  await expect(importEntries(store, jobOf({ isNew: true }), each(entries))).rejects.toMatchObject({
    code: 'ImportConflict',
  })
})
