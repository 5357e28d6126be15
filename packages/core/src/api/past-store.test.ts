import { beforeEach, describe, expect, it } from 'vitest'
import { list } from './answers.fixture.ts'
import { memoryPorts } from './memory-ports.fixture.ts'
import type { PastStore } from './past-store.ts'
import { openEngine, type Store } from './store.ts'

let store: Store

const names = async (past: PastStore, delimiter = '') =>
  (await list(past.objects.list('box', { delimiter }))).map((entry) =>
    entry.kind === 'prefix' ? entry.prefix : entry.key,
  )

beforeEach(async () => {
  store = await openEngine(memoryPorts(), { inlineMax: 64, retentionMs: 60_000 })
  await store.buckets.create('box')
})

describe('listing the past', () => {
  it('passes over older versions that are gone without losing the keys behind them', async () => {
    await store.buckets.setVersioning('box', 'Enabled')
    const one = await store.objects.put('box', 'k', 'one')
    const two = await store.objects.put('box', 'k', 'two')
    for (const key of ['x', 'y', 'z']) await store.objects.put('box', key, key)
    const then = store.seq
    for (const { versionId } of [one, two]) await store.versions.delete('box', 'k', versionId)
    expect(await names(await store.at(then))).toEqual(['k', 'x', 'y', 'z'])
  })

  it('passes over what is rolled up without losing the keys behind it', async () => {
    for (const key of ['b/1', 'b/2', 'x', 'y', 'z']) await store.objects.put('box', key, key)
    const then = store.seq
    for (const key of ['b/1', 'b/2']) await store.objects.delete('box', key)
    expect(await names(await store.at(then), '/')).toEqual(['b/', 'x', 'y', 'z'])
  })
})
