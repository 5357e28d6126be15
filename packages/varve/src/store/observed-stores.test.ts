import type { Observer, SyncObservation } from '@varve/core'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { memoryStore, observerErrors, openStore, type Store } from '../index.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'

const scratch = scratchDirectory()
const quiet = { lifecycle: false, sweepEveryMs: 0 } as const

type Seen = { -readonly [M in keyof Observer]: Parameters<NonNullable<Observer[M]>>[0][] }

function seeing(): { readonly observer: Observer; readonly seen: Required<Seen> } {
  const seen: Required<Seen> = {
    commit: [],
    sync: [],
    request: [],
    job: [],
    cache: [],
    queue: [],
    healing: [],
    connections: [],
  }
  return {
    seen,
    observer: {
      commit: (one) => seen.commit.push(one),
      sync: (one) => seen.sync.push(one),
      job: (one) => seen.job.push(one),
      cache: (one) => seen.cache.push(one),
      queue: (one) => seen.queue.push(one),
    },
  }
}

async function used(store: Store): Promise<void> {
  await store.buckets.create('box')
  await store.objects.put('box', 'small', 'bytes')
  await store.objects.put('box', 'large', 'v'.repeat(100_000))
  await (await store.objects.get('box', 'large')).text()
  await store.scrub()
  await store.close()
}

afterEach(() => void vi.restoreAllMocks())

describe('the observer of a store', () => {
  it.each(['level+files', 'segments+tiered', 'lmdb+files', 'sqlite+segments'] as const)(
    'of layout %s has received everything when the store is closed',
    async (layout) => {
      const { observer, seen } = seeing()
      await used(await openStore(scratch.next(), { ...quiet, layout, observer }))
      expect(seen.commit.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
      const synced = new Set(seen.sync.map(({ what }) => what))
      expect(synced).toEqual(new Set<SyncObservation['what']>(['journal', 'blobs', 'witness', 'time']))
      expect(seen.job.map(({ name }) => name)).toContain('scrub')
      expect(seen.cache.length).toBeGreaterThan(0)
      expect(seen.queue).toEqual(seen.commit.map(({ commands }) => ({ name: 'commands', depth: commands })))
    },
  )

  it('in memory gets the same without syncs', async () => {
    const { observer, seen } = seeing()
    await used(await memoryStore({ ...quiet, observer }))
    expect(seen.commit.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
    expect(seen.sync).toEqual([])
  })

  it('of a store that is only read gets lookups and jobs, and no commit', async () => {
    const dir = scratch.next()
    await used(await openStore(dir, quiet))
    const { observer, seen } = seeing()
    const store = await openStore(dir, { readOnly: true, observer })
    for (let i = 0; i < 3; i++) await store.objects.head('box', 'small')
    await store.scrub()
    await store.close()
    expect(seen.cache).toContainEqual({
      name: 'rows',
      hits: expect.any(Number) as number,
      misses: expect.any(Number) as number,
    })
    expect(seen.job).toMatchObject([{ name: 'scrub' }])
    expect([seen.commit, seen.sync]).toEqual([[], []])
  })

  it('that fails changes nothing, and is one warning for each method', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    const fail = () => {
      throw new Error('no metrics')
    }
    const observer: Observer = { commit: fail, sync: () => Promise.reject(new Error('no metrics')), job: fail }
    const dir = scratch.next()
    await used(await openStore(dir, { ...quiet, observer }))
    const texts = warned.mock.calls.map(([text]) => String(text))
    expect(texts).toHaveLength(3)
    expect(texts.every((text) => text.includes('no metrics'))).toBe(true)
    const { commit = 0, sync = 0 } = observerErrors(observer)
    expect(commit).toBe(4)
    expect(sync).toBeGreaterThan(3)
    const again = await openStore(dir, { ...quiet, create: false })
    expect(again.seq).toBe(4)
    await again.close()
  })

  it('is refused before anything is opened if a method of it is no function', async () => {
    const observer = { commit: 'yes' } as never
    const dir = scratch.next()
    for (const open of [() => openStore(dir, { observer }), () => memoryStore({ observer })]) {
      await expect(open()).rejects.toMatchObject({
        code: 'InvalidArgument',
        details: { ArgumentName: 'options.observer.commit' },
      })
    }
    await expect(openStore(dir, { create: false })).rejects.toMatchObject({ code: 'StoreNotFound' })
  })
})
