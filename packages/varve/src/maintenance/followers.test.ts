/** Subscriptions and projections in directories: over every journal, and in copies of a store. */
import { setTimeout as delay } from 'node:timers/promises'
import { type LayoutName, openStoreDirectory } from '@varve/adapters'
import { describe, expect, it } from 'vitest'
import { defineProjection, migrateStore, openStore, repairStore, type Store, verifyStore } from '../index.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { testedLayouts } from '../tested-layouts.fixture.ts'

const scratch = scratchDirectory()
const options = { lifecycle: false, sweepEveryMs: 0, retentionMs: 1e12 } as const

const counts = defineProjection({
  name: 'counts',
  version: 1,
  init: () => 0,
  key: ({ data }) => ('key' in data ? data.key : []),
  on: { VersionAdded: (count) => count + 1 },
})

/** Events 1 to 5. The subscription has got those up to 3. */
async function made(layout: LayoutName): Promise<string> {
  const dir = scratch.next()
  const store = await openStore(dir, { ...options, layout })
  await store.buckets.create('box')
  for (const key of ['a', 'b', 'a']) await store.objects.put('box', key, 'bytes')
  await (await store.projections.open(counts)).caughtUp()
  for await (const batch of store.subscribe('reader', { filter: { bucket: 'box' }, batchMax: 2 })) {
    await batch.acknowledge()
    break
  }
  await store.close()
  return dir
}

async function expectWhole(store: Store): Promise<void> {
  expect(await store.projections.list()).toMatchObject([{ name: 'counts', cursor: 5, state: 'ready' }])
  const projection = await store.projections.open(counts)
  await projection.caughtUp()
  expect([await projection.get('a'), await projection.get('b')]).toEqual([2, 1])
  expect(await store.subscriptions.list()).toMatchObject([{ name: 'reader', filter: { bucket: 'box' }, cursor: 3 }])
  for await (const { events } of store.subscribe('reader')) {
    expect(events.map(({ seq }) => seq)).toEqual([4, 5])
    break
  }
  expect((await store.verify()).divergences).toEqual([])
}

describe.each(testedLayouts)('what follows the log of a store of layout %s', (layout) => {
  const other = testedLayouts[(testedLayouts.indexOf(layout) + 3) % testedLayouts.length] as LayoutName

  it('is there again after a reopen, and a verification of the closed store finds nothing', async () => {
    const dir = await made(layout)
    expect(await verifyStore(dir)).toMatchObject({ divergences: [] })
    const store = await openStore(dir, options)
    await expectWhole(store)
    await store.close()
  })

  it(`comes along as it is to ${other}`, async () => {
    const dir = await made(layout)
    await migrateStore(dir, other)
    const store = await openStore(dir, options)
    await expectWhole(store)
    await store.close()
  })
})

it('a repair that leaves a damaged projection out lets it begin again', async () => {
  const dir = await made('level+files')
  const { journal, close } = await openStoreDirectory(dir)
  const cursor = journal.cursor({ gte: Uint8Array.of(0xa0), lt: Uint8Array.of(0xa1) })
  const [, row] = (await cursor.next(20)).filter(([key]) => Buffer.from(key).includes('projection/1/counts'))
  await cursor.close()
  const [key, value] = row as readonly [Uint8Array, Uint8Array]
  await journal.commit({ events: [], rows: [{ key, value: value.slice(0, -1) }], outsideLog: true })
  await close()
  await repairStore(dir)
  const store = await openStore(dir, options)
  expect(await store.projections.list()).toEqual([])
  await (await store.projections.open(counts)).caughtUp()
  await expectWhole(store)
  await store.close()
})

it('a subscription for which nothing happens moves its cursor by itself, also at the end of the store', async () => {
  const dir = scratch.next()
  let store = await openStore(dir, options)
  await store.buckets.create('box')
  const ended = (async () => {
    for await (const batch of store.subscribe('reader', { filter: { by: 'nobody' } })) await batch.acknowledge()
  })()
  const cursor = async () => (await store.subscriptions.list())[0]?.cursor
  for (const end = Date.now() + 10_000; (await cursor()) !== store.seq && Date.now() < end; ) await delay(20)
  expect(await cursor()).toBe(store.seq)
  const { seq } = await store.objects.put('box', 'k', 'x')
  await delay(50)
  await store.close()
  await ended
  store = await openStore(dir, options)
  expect(await cursor()).toBe(seq)
  await store.close()
})
