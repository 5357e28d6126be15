import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf, list } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'

let ports: MemoryPorts
let store: Store

beforeEach(async () => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax: 64, retentionMs: 1_000_000_000 })
  await store.buckets.create('box')
})

const put = (key: string, body = key) => store.objects.put('box', key, body)
const tag = (key: string, value: string) =>
  store.objects.annotate('box', key, { kind: 'tags', value: [{ key: 't', value }] })
const diff = (from: number, to = store.seq, prefix = '') => list(store.diff({ bucket: 'box', prefix }, from, to))

describe('the difference between two moments', () => {
  it('has added, changed and removed keys with both versions, in order', async () => {
    for (const key of ['changed', 'gone', 'same']) await put(key)
    const then = store.seq
    const { versionId } = await put('added')
    await put('changed', 'anew')
    await store.objects.delete('box', 'gone')
    expect(await diff(then)).toMatchObject([
      { kind: 'added', key: 'added', after: { versionId, size: 5 } },
      { kind: 'changed', key: 'changed', before: { size: 7 }, after: { size: 4 }, aspects: ['bytes'] },
      { kind: 'removed', key: 'gone', before: { size: 4 } },
    ])
  })

  it('is the same the other way round, with before and after exchanged', async () => {
    for (const key of ['a', 'b', 'c']) await put(key)
    const then = store.seq
    await put('a', 'anew')
    await store.objects.delete('box', 'b')
    await put('d')
    await store.buckets.settings.put('box', 'RequestPayment', 'Requester')
    const kinds = { added: 'removed', removed: 'added' } as Readonly<Record<string, string>>
    const turned = (await diff(then)).map((entry) => {
      const { kind, before, after, ...rest } = entry as {
        kind: string
        before?: object | string
        after?: object | string
      }
      return {
        ...rest,
        kind: kinds[kind] ?? kind,
        ...(after !== undefined && { before: after }),
        ...(before !== undefined && { after: before }),
      }
    })
    expect(await list(store.diff({ bucket: 'box' }, store.seq, then))).toEqual(turned)
    expect(turned).toHaveLength(4)
  })

  it('names what a version with the same bytes differs in, and has none that differs in nothing', async () => {
    await put('k')
    await store.buckets.setVersioning('box', 'Enabled')
    const then = store.seq
    const from = { bucket: 'box', key: 'k' }
    const copy = async (options: object) => {
      await store.objects.copy(from, 'box', 'k', { metadataDirective: 'REPLACE', ...options })
      const [entry] = (await diff(then)).filter(({ kind }) => kind !== 'setting')
      return entry && 'aspects' in entry ? entry.aspects : entry
    }
    expect(await copy({})).toBeUndefined()
    expect(await copy({ metadata: { a: 'b' } })).toEqual(['metadata'])
    expect(await copy({ tags: [{ key: 't', value: '1' }], taggingDirective: 'REPLACE' })).toEqual(['tags'])
    await put('k')
    expect(await copy({ storageClass: 'GLACIER' })).toEqual(['bytes', 'metadata'])
  })

  it('has versions that stayed and were annotated', async () => {
    await put('k')
    await tag('k', '1')
    const then = store.seq
    expect(await diff(then - 1, then)).toMatchObject([{ kind: 'changed', aspects: ['tags'] }])
    await tag('k', '2')
    await tag('k', '1')
    expect(await diff(then)).toEqual([])
  })

  it('has the settings that changed, and the bucket itself', async () => {
    const then = store.seq
    await store.buckets.settings.put('box', 'RequestPayment', 'Requester')
    await store.buckets.setVersioning('box', 'Enabled')
    expect(await diff(then)).toEqual([
      { kind: 'setting', setting: 'RequestPayment', after: 'Requester' },
      { kind: 'setting', setting: 'Versioning', after: 'Enabled' },
    ])
    expect(await diff(0, then)).toEqual([{ kind: 'bucket', change: 'created' }])
  })

  it('compares buckets of one name, also if one was deleted in between', async () => {
    await put('a')
    await put('b')
    const first = store.seq
    for (const key of ['a', 'b']) await store.objects.delete('box', key)
    await store.buckets.delete('box')
    const none = store.seq
    await store.buckets.create('box')
    await put('b', 'of the second bucket')
    expect(await diff(first)).toMatchObject([
      { kind: 'bucket', change: 'recreated' },
      { kind: 'removed', key: 'a' },
      { kind: 'changed', key: 'b' },
    ])
    expect(await diff(first, none)).toMatchObject([{ change: 'deleted' }, { kind: 'removed' }, { kind: 'removed' }])
    expect(await codeOf(list(store.diff({ bucket: 'none' }, 1, none)))).toBe('NoSuchBucket')
    expect(await codeOf(list(store.diff({ bucket: 'box' }, none, none)))).toBe('NoSuchBucket')
  })

  it('comes in pages that show the states of the first one', async () => {
    for (const key of ['a', 'b', 'c', 'd', 'e']) await put(key)
    const pages: unknown[] = []
    for await (const { entries, from, to } of store
      .diff({ bucket: 'box' }, 1, new Date(ports.clock.time), { limit: 2 })
      .pages()) {
      pages.push([entries.map((entry) => 'key' in entry && entry.key).join(), from, to])
      await put('f', String(pages.length))
    }
    expect(pages).toEqual([
      ['a,b', 1, 6],
      ['c,d', 1, 6],
      ['e', 1, 6],
    ])
  })
})

describe('the cost of a difference', () => {
  const reads = async (work: () => Promise<unknown>) => {
    const before = ports.journal.reads
    await work()
    return ports.journal.reads - before
  }

  it('does not grow with the keys where few events happened', async () => {
    for (let i = 0; i < 2000; i++) await put(`k${i}`)
    const then = store.seq
    for (const key of ['k7', 'k1234', 'new']) await put(key, 'anew')
    expect(await diff(then)).toHaveLength(3)
    // The walk over the keys ends after 1000 of them.
    expect(await reads(() => diff(then))).toBeLessThan(5000)
  })

  const masses: Readonly<
    Record<string, (keys: readonly string[]) => Promise<{ from: number; to: number; box?: string }>>
  > = {
    'after their deletion': async (keys) => {
      for (const key of keys) await put(key)
      const from = store.seq
      for (const key of keys) await store.objects.delete('box', key)
      return { from, to: store.seq }
    },
    'before their creation': async (keys) => {
      const from = store.seq
      for (const key of keys) await put(key)
      return { from, to: store.seq }
    },
    'with versions, after their deletion': async (keys) => {
      await store.buckets.setVersioning('box', 'Enabled')
      for (const key of keys) await put(key)
      const from = store.seq
      for (const key of keys) await store.objects.delete('box', key)
      return { from, to: store.seq }
    },
    'with versions, before their creation': async (keys) => {
      await store.buckets.setVersioning('box', 'Enabled')
      const from = store.seq
      for (const key of keys) await put(key)
      return { from, to: store.seq }
    },
    'in a fork, after their deletion': async (keys) => {
      for (const key of keys) await put(key)
      await store.buckets.fork('box', 'fork')
      const from = store.seq
      for (const key of keys) await store.objects.delete('fork', key)
      return { from, to: store.seq, box: 'fork' }
    },
  }

  it.each(Object.keys(masses))('is for each page that of what it shows, where many keys differ %s', async (name) => {
    const keys = Array.from({ length: 1500 }, (_, i) => `k${String(i).padStart(4, '0')}`)
    const { from, to, box = 'box' } = (await masses[name]?.(keys)) ?? { from: 0, to: 0 }
    const shown: string[] = []
    const costs: number[] = []
    let before = ports.journal.reads
    for await (const { entries } of store.diff({ bucket: box }, from, to, { limit: 100 }).pages()) {
      for (const entry of entries) if ('key' in entry) shown.push(entry.key)
      costs.push(ports.journal.reads - before)
      before = ports.journal.reads
    }
    expect(shown).toEqual(keys)
    // The first page has 1500 keys before it, the eighth 800.
    expect((costs[0] ?? 0) - (costs[7] ?? 0)).toBeLessThan(100)
  })

  it('does not grow with the events where few keys are beneath the prefix', async () => {
    for (const key of ['p/1', 'p/2']) await put(key)
    const then = store.seq
    for (let i = 0; i < 1200; i++) await put(`k${i}`, String(i))
    await put('p/2', 'anew')
    const read: number[] = []
    const { events } = ports.journal
    ports.journal.events = (range) => {
      read.push((range?.to ?? 0) - (range?.from ?? 0))
      return events(range)
    }
    expect(await diff(then, store.seq, 'p/')).toHaveLength(1)
    expect(read).toEqual([])
  })
})
