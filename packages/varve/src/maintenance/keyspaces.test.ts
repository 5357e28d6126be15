/** Keyspaces in directories: over every journal, and in copies of a store. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type LayoutName, openStoreDirectory } from '@varve/adapters'
import type { Keyspace, Reducer } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { memoryStore, migrateStore, openStore, repairStore, salvageStore, type Store, verifyStore } from '../index.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { testedLayouts } from '../tested-layouts.fixture.ts'

const scratch = scratchDirectory()
const options = { lifecycle: false, sweepEveryMs: 0, retentionMs: 1e12 } as const

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const textOf = (value: Uint8Array | undefined) => value && new TextDecoder().decode(value)

/** Counts the versions that were put under each key. */
const reducer: Reducer = async ({ type, data }, rows) => {
  if (type !== 'VersionAdded') return
  const key = bytes(data.key)
  rows.put(key, bytes(String(Number(textOf(await rows.get(key)) ?? 0) + 1)))
}

async function contents(keyspace: Keyspace): Promise<string> {
  const rows: string[] = []
  for await (const { key, value } of keyspace.range())
    rows.push(`${textOf(key)}=${(textOf(value) as string).slice(0, 9)}`)
  return rows.join(' ')
}

const long = 'long '.repeat(2000)

/** A store with a keyspace that a reducer makes, and one that the program fills itself. */
async function lived(store: Store): Promise<void> {
  await store.buckets.create('box')
  for (const key of ['a', 'b', 'a']) await store.objects.put('box', key, 'bytes')
  await (await store.keyspaces.open('counts', { version: 1, reducer })).follow()
  const own = await store.keyspaces.open('own', { version: 2 })
  await own.commit({ to: 1, changes: [{ key: bytes('old'), value: bytes('row') }] })
  await own.clear()
  await own.commit({ to: 2, changes: [{ key: bytes('k'), value: bytes('v') }] })
  await own.commit({ to: 3, changes: [{ key: bytes('long'), value: bytes(long) }] })
}

async function expectWhole(store: Store): Promise<void> {
  const counts = await store.keyspaces.open('counts', { version: 1, reducer })
  expect([counts.cursor, counts.state, await contents(counts)]).toEqual([5, 'ready', 'a=2 b=1'])
  const own = await store.keyspaces.open('own', { version: 2 })
  expect([own.cursor, own.state, await contents(own)]).toEqual([3, 'building', 'k=v long=long long'])
  expect(textOf(await own.get(bytes('long')))).toBe(long)
  expect((await store.verify()).divergences).toEqual([])
}

async function made(layout: LayoutName): Promise<string> {
  const dir = scratch.next()
  const store = await openStore(dir, { ...options, layout })
  await lived(store)
  await store.close()
  return dir
}

/** Changes one byte of a stored row of a keyspace: the row of that number, the header included. */
async function damage(dir: string, name: string, at: number): Promise<void> {
  const { journal, close } = await openStoreDirectory(dir)
  const cursor = journal.cursor({ gte: Uint8Array.of(0xa0), lt: Uint8Array.of(0xa1) })
  const rows = (await cursor.next(20)).filter(([key]) => textOf(key.subarray(1))?.startsWith(name))
  await cursor.close()
  const [key, value] = rows[at] as readonly [Uint8Array, Uint8Array]
  const changed = value.map((byte, i) => (i === value.length - 1 ? byte ^ 1 : byte))
  await journal.commit({ events: [], rows: [{ key, value: changed }], outsideLog: true })
  await close()
}

it('keyspaces of a store in memory follow its log', async () => {
  const store = await memoryStore(options)
  await lived(store)
  await expectWhole(store)
  await store.close()
})

describe.each(testedLayouts)('keyspaces in a store of layout %s', (layout) => {
  const other = testedLayouts[(testedLayouts.indexOf(layout) + 3) % testedLayouts.length] as LayoutName

  it('are there again after a reopen, and a verification of the closed store finds nothing', async () => {
    const dir = await made(layout)
    expect(await verifyStore(dir)).toMatchObject({ divergences: [] })
    const store = await openStore(dir, options)
    await expectWhole(store)
    await store.close()
  })

  it('are shown by a store that is open to be read alone, which changes none', async () => {
    const dir = await made(layout)
    const store = await openStore(dir, { readOnly: true })
    await expectWhole(store)
    const own = await store.keyspaces.open('own', { version: 2 })
    await expect(own.clear()).rejects.toMatchObject({ code: 'ReadOnly' })
    await expect(store.keyspaces.open('new', { version: 1 })).rejects.toMatchObject({ code: 'ReadOnly' })
    await store.close()
  })

  it(`come along as they are to ${other}`, async () => {
    const dir = await made(layout)
    await migrateStore(dir, other)
    const store = await openStore(dir, options)
    expect(store.layout).toBe(other)
    await expectWhole(store)
    await store.close()
  })

  it('keep a store in its layout while one of them is damaged', async () => {
    const dir = await made(layout)
    await damage(dir, 'own', 1)
    await expect(migrateStore(dir, other)).rejects.toMatchObject({
      code: 'RowCorrupt',
      details: { kind: 'keyspace', keyspace: 'own' },
    })
    const store = await openStore(dir, options)
    await store.keyspaces.drop('own')
    await store.close()
    await migrateStore(dir, other)
  })

  it.each([
    ['row', 1, 'RowCorrupt'],
    ['header', 0, 'KeyspaceDamaged'],
  ] as const)('are kept by a repair, except one with a damaged %s', async (_, at, kind) => {
    const dir = await made(layout)
    await damage(dir, 'own', at)
    const { before, actions, after } = await repairStore(dir)
    expect(before.divergences).toMatchObject([{ kind, table: 'keyspace', of: { keyspace: 'own' } }])
    expect(actions.filter((action) => action.includes('keyspace'))).toHaveLength(1)
    expect(after.divergences).toEqual([])
    const store = await openStore(dir, options)
    expect((await store.keyspaces.list()).map(({ name }) => name)).toEqual(['counts'])
    const counts = await store.keyspaces.open('counts', { version: 1, reducer })
    expect(await contents(counts)).toBe('a=2 b=1')
    await store.close()
  })

  it('do not come along with a salvage: they begin again', async () => {
    const [dir, into] = [await made(layout), scratch.next()]
    await salvageStore(dir, into)
    const store = await openStore(into, options)
    expect(await store.keyspaces.list()).toEqual([])
    const counts = await store.keyspaces.open('counts', { version: 1, reducer })
    await counts.follow()
    expect(await contents(counts)).toBe('a=2 b=1')
    await store.close()
  })
})

it('keyspaces of a segment log begin again when its views are lost', async () => {
  const dir = await made('segments+files')
  await rm(join(dir, 'events', 'views'), { recursive: true })
  const store = await openStore(dir, { ...options, check: 'none' })
  expect(await store.keyspaces.list()).toEqual([])
  expect((await store.verify()).divergences).toEqual([])
  await store.close()
})
