/** Whatever opens a store: as long as another process has the lock, it changes nothing. */
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openStoreDirectory } from '@varve/adapters'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrateStore, openStore, repairStore, salvageStore, verifyStore } from '../index.ts'
import { startLockHolder } from './lock-holder.fixture.ts'
import { treeOf } from './open-read-only.fixture.ts'
import { openStoreForMaintenance } from './open-directory.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'

const scratch = scratchDirectory()
const holder = startLockHolder()
let made: string

beforeAll(async () => {
  made = scratch.next()
  const store = await openStore(made, { inlineMax: 0 })
  await store.buckets.create('photos')
  await store.objects.put('photos', 'a', 'some bytes')
  await store.close()
})

afterAll(() => holder.end())

const editFormat = async (dir: string, change: (text: string) => string) =>
  writeFile(join(dir, 'FORMAT'), change(await readFile(join(dir, 'FORMAT'), 'utf8')))

/** Each is a state that the next opening or repair of the store would change. */
const states: Readonly<Record<string, (dir: string) => Promise<unknown>>> = {
  'is whole': async () => undefined,
  'has a repair that was cut off': (dir) => rename(join(dir, 'events'), join(dir, 'events.new')),
  'has an orphan and a damaged blob': async (dir) => {
    await mkdir(join(dir, 'blobs', 'ab'), { recursive: true })
    await writeFile(join(dir, 'blobs', 'ab', 'ab'.repeat(16)), 'unnamed')
  },
  'lost its directories': (dir) => rm(join(dir, 'blobs'), { recursive: true }),
  'lost FORMAT': (dir) => rm(join(dir, 'FORMAT')),
  'has a damaged FORMAT': (dir) => editFormat(dir, (text) => text.replace('ready', 'raedy')),
  'lost its witness': (dir) => rm(join(dir, 'witness'), { force: true }),
  'has leftovers': async (dir) => {
    await mkdir(join(dir, 'scratch'), { recursive: true })
    await mkdir(join(dir, 'migrating'), { recursive: true })
    await writeFile(join(dir, 'FORMAT.tmp'), 'half')
  },
}

const openers: Readonly<Record<string, (dir: string) => Promise<unknown>>> = {
  openStore: (dir) => openStore(dir),
  'openStore, with a keyring and other options': (dir) =>
    openStore(dir, { keyring: 'own', create: false, check: 'none', scrub: {} }),
  openStoreForMaintenance: (dir) => openStoreForMaintenance(dir),
  openStoreDirectory: (dir) => openStoreDirectory(dir),
  verifyStore: (dir) => verifyStore(dir),
  repairStore: (dir) => repairStore(dir),
  'salvageStore of it': (dir) => salvageStore(dir, scratch.next()),
  'salvageStore into it': (dir) => salvageStore(made, dir),
  'migrateStore to another layout': (dir) => migrateStore(dir, 'segments+tiered'),
  'migrateStore to its own layout': (dir) => migrateStore(dir, 'level+files'),
}

describe.each(Object.entries(states))('a store that %s and another process has', (_, prepare) => {
  it.each(Object.entries(openers))('is not changed by %s', async (_opener, open) => {
    const dir = scratch.next()
    await cp(made, dir, { recursive: true })
    await prepare(dir)
    await holder.hold(dir)
    try {
      const before = await treeOf(dir)
      // For some of these functions a directory without FORMAT is no store. They may report that first.
      await expect(open(dir)).rejects.toMatchObject({
        code: expect.stringMatching(/^Store(Locked|NotFound)$/) as string,
      })
      expect(await treeOf(dir)).toEqual(before)
    } finally {
      await holder.release()
    }
  })
})

describe('a repair that was cut off', () => {
  it('is finished under the lock', async () => {
    const dir = scratch.next()
    await cp(made, dir, { recursive: true })
    await rename(join(dir, 'events'), join(dir, 'events.new'))
    expect(await repairStore(dir)).toMatchObject({
      actions: expect.arrayContaining(['Finished a repair that was cut off.']) as string[],
      after: { ok: true },
    })
  })
})
