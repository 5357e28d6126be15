/** A caller that awaits reads in a loop does not keep others waiting, whatever a store is made of. */
import { describe, expect, it } from 'vitest'
import { memoryStore } from './memory-store.ts'
import { openStore } from './open-store.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import type { Store } from '@varve/core'

const scratch = scratchDirectory()
const kinds = ['memory', 'level+files', 'segments+tiered', 'lmdb+files', 'sqlite+segments'] as const
const readsMax = 100_000

async function opened(kind: (typeof kinds)[number]): Promise<Store> {
  return kind === 'memory' ? memoryStore() : openStore(scratch.next(), { layout: kind })
}

/** How many times `read` came between the beginning of `work` and its end; the most that are tried if it does not end. */
async function readsDuring(work: () => Promise<unknown>, read: () => Promise<unknown>): Promise<number> {
  let isOver = false
  const working = work().finally(() => {
    isOver = true
  })
  let reads = 0
  while (!isOver && reads < readsMax) {
    await read()
    reads++
  }
  await working
  return reads
}

const loops: Record<string, (store: Store) => Promise<unknown>> = {
  head: (store) => store.objects.head('box', 'k'),
  get: async (store) => (await store.objects.get('box', 'k')).text(),
  list: (store) => store.objects.listPage('box'),
  'list of buckets': async (store) => {
    for await (const bucket of store.buckets.list()) void bucket
  },
  'list of uploads': (store) => store.uploads.listPage('box'),
  log: async (store) => {
    for await (const event of store.log()) void event
  },
}

describe.each(kinds)('a loop of reads over %s', (kind) => {
  it.each(Object.keys(loops))('by %s lets a write and a timer through', async (name) => {
    const store = await opened(kind)
    await store.buckets.create('box')
    await store.objects.put('box', 'k', 'v')
    const read = () => (loops[name] as (typeof loops)[string])(store)
    expect(await readsDuring(() => store.objects.put('box', 'other', 'v'), read)).toBeLessThan(readsMax)
    expect(await readsDuring(() => new Promise((over) => setTimeout(over, 5)), read)).toBeLessThan(readsMax)
    await store.close()
  })
})

describe('a loop of writes', () => {
  it('in memory lets a timer through', async () => {
    const store = await memoryStore()
    await store.buckets.create('box')
    const timer = () => new Promise((over) => setTimeout(over, 5))
    expect(await readsDuring(timer, () => store.objects.put('box', 'k', 'v'))).toBeLessThan(readsMax)
    await store.close()
  })
})
