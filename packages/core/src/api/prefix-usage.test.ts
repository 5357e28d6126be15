import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeOf } from './answers.fixture.ts'
import { memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

let store: Store

beforeAll(async () => {
  store = await openEngine(memoryPorts(), { retentionMs: 1e12 })
  await store.buckets.create('box', { versioning: 'Enabled' })
  for (const key of ['a', 'a/1', 'a/2/x', 'a/2/y', 'b/', 'b/1', 'c//1', 'z'])
    await store.objects.put('box', key, 'four')
  await store.objects.put('box', 'a/1', 'newer')
  await store.objects.put('box', 'gone/1', 'bytes')
  await store.objects.delete('box', 'gone/1')
})
afterAll(() => store.close())

describe('the usage of prefixes', () => {
  it('counts the current objects up to the next delimiter, and those directly beneath', async () => {
    expect(await store.prefixUsage('box')).toEqual({
      entries: [
        { prefix: '', objects: 2, bytes: 8 },
        { prefix: 'a/', objects: 3, bytes: 13 },
        { prefix: 'b/', objects: 2, bytes: 8 },
        { prefix: 'c/', objects: 1, bytes: 4 },
      ],
      isTruncated: false,
    })
    expect((await store.prefixUsage('box', { prefix: 'a/' })).entries).toEqual([
      { prefix: 'a/', objects: 1, bytes: 5 },
      { prefix: 'a/2/', objects: 2, bytes: 8 },
    ])
    expect((await store.prefixUsage('box', { prefix: 'c/' })).entries).toEqual([
      { prefix: 'c//', objects: 1, bytes: 4 },
    ])
    expect((await store.prefixUsage('box', { prefix: 'none/' })).entries).toEqual([])
    expect((await store.prefixUsage('box', { delimiter: '' })).entries).toEqual([{ prefix: '', objects: 8, bytes: 33 }])
  })

  it('reads no more objects than it may, and goes on after them', async () => {
    const sums = new Map<string, number>()
    let [pages, after] = [0, undefined as string | undefined]
    do {
      const page = await store.prefixUsage('box', { limit: 3, ...(after !== undefined && { after }) })
      for (const { prefix, objects } of page.entries) sums.set(prefix, (sums.get(prefix) ?? 0) + objects)
      expect(page.isTruncated).toBe(page.next !== undefined)
      after = page.next
      pages++
    } while (after !== undefined)
    expect(pages).toBe(3)
    expect(Object.fromEntries(sums)).toEqual({ '': 2, 'a/': 3, 'b/': 2, 'c/': 1 })
  })

  it('refuses what it cannot do', async () => {
    expect(await codeOf(store.prefixUsage('none'))).toBe('NoSuchBucket')
    expect(await codeOf(store.prefixUsage('box', { limit: 0 }))).toBe('InvalidArgument')
    expect(await codeOf(store.prefixUsage('box', { limit: 100_001 }))).toBe('InvalidArgument')
  })
})
