import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isStorageError, type Journal } from '@varve/core'
import { afterEach, describe, expect, it } from 'vitest'
import { faultyFileSystem, systemError } from '../files/faulty-file-system.fixture.ts'
import type { LayoutName } from '../layouts/layout.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import type { DirectoryUpgrade, UpgradeTarget } from './directory-upgrade.ts'
import { openStoreDirectory, type StoreDirectory, type StoreDirectoryOptions } from './open-store-directory.ts'
import { type SealedFields, sealJson } from './sealed-json.ts'
import { migrationDirectory } from './switch-layout.ts'

const scratch = scratchDirectory()
const layouts: readonly LayoutName[] = ['level+files', 'segments+tiered', 'sqlite+files', 'lmdb+segments']
const events = 7
const blob = 'c'.repeat(32)
const storeId = 'ab'.repeat(16)
const opened: StoreDirectory[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close().catch(() => undefined)))
})

async function open(path: string, options?: StoreDirectoryOptions): Promise<StoreDirectory> {
  const store = await openStoreDirectory(path, { acceptsOlder: true, ...options })
  opened.push(store)
  return store
}

const upgradeOf = (store: StoreDirectory): DirectoryUpgrade<StoreDirectory> => {
  if (store.upgrade === undefined) throw new Error('The store has the current format.')
  return store.upgrade
}

/** FORMAT as releases before format 3 wrote it. */
const oldFormat = (layout: LayoutName): SealedFields =>
  layout === 'level+files' ? { storeId, version: 1, state: 'ready' } : { storeId, version: 2, layout, state: 'ready' }

/** A closed store of the old format, with events that this package cannot read. */
async function oldStore(layout: LayoutName): Promise<string> {
  const path = scratch.next()
  const store = await open(path, { layout, ids: { next: () => storeId } })
  await store.markReady()
  for (let seq = 1; seq <= events; seq++) await commit(store.journal, seq)
  await store.blobs.write(blob, source())
  await store.witness.write({ seq: events, hash: 'old' })
  store.markSound()
  await store.close()
  await writeFile(join(path, 'FORMAT'), sealJson(oldFormat(layout)))
  return path
}

const commit = (journal: Journal, seq: number, mark = 0): Promise<void> =>
  journal.commit({ expectedHead: seq - 1, events: [Uint8Array.of(seq, mark)], rows: [] })

async function* source() {
  yield Uint8Array.of(1, 2, 3)
}

/** Each event has a mark in the new log. */
async function write({ journal, witness }: UpgradeTarget, to = events): Promise<void> {
  for (let seq = (await journal.head()) + 1; seq <= to; seq++) await commit(journal, seq, 1)
  await witness.write({ seq: to, hash: 'new' })
}

/** Upgrades the store if it has the old format. */
async function upgraded(path: string, options?: StoreDirectoryOptions): Promise<StoreDirectory> {
  const store = await open(path, options)
  if (store.upgrade === undefined) return store
  const target = await store.upgrade.open()
  try {
    await write(target)
  } finally {
    await target.close()
  }
  const after = await store.upgrade.finish()
  opened.push(after)
  return after
}

async function marksIn(journal: Journal): Promise<readonly (number | undefined)[]> {
  const marks: (number | undefined)[] = []
  for await (const { bytes } of journal.events()) marks.push(bytes[1])
  return marks
}

async function expectUpgraded(store: StoreDirectory, path: string, layout: LayoutName): Promise<void> {
  expect(await marksIn(store.journal)).toEqual(Array.from({ length: events }, () => 1))
  expect(await store.witness.read()).toEqual({ seq: events, hash: 'new' })
  expect(store).toMatchObject({ storeId, layout, created: false })
  expect(store.upgrade).toBeUndefined()
  const handle = await store.blobs.open(blob)
  expect(handle.size).toBe(3)
  await handle.close()
  expect(await readdir(path)).not.toContain('migrating')
  expect(JSON.parse(await readFile(join(path, 'FORMAT'), 'utf8'))).toMatchObject({ version: 3, layout, state: 'ready' })
}

const refusedBy = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => false,
    (error: unknown) => {
      if (!isStorageError(error)) throw error
      return true
    },
  )

describe.each(layouts)('an upgrade of %s', (layout) => {
  it('replaces the log and its witness and nothing else, and keeps the lock', async () => {
    const path = await oldStore(layout)
    const store = await upgraded(path)
    await expectUpgraded(store, path, layout)
    await expect(open(path)).rejects.toMatchObject({ code: 'StoreLocked' })
    await store.close()
    await expectUpgraded(await open(path, { acceptsOlder: false }), path, layout)
  })

  it('continues after a kill, with what was written', async () => {
    const path = await oldStore(layout)
    const first = await open(path)
    const target = await upgradeOf(first).open()
    await write(target, 3)
    await target.close()
    await first.close()
    // The old store is as it was, for the old release too.
    expect(await readFile(join(path, 'FORMAT'), 'utf8')).toBe(sealJson(oldFormat(layout)))
    const second = await open(path)
    expect(await marksIn(second.journal)).toEqual(Array.from({ length: events }, () => 0))
    const again = await upgradeOf(second).open()
    expect(await again.journal.head()).toBe(3)
    await again.close()
    await second.close()
    const store = await upgraded(path)
    await expectUpgraded(store, path, layout)
  })

  it('has the old log or the new one after a failure at any call to the file system', async () => {
    const dry = faultyFileSystem(() => undefined)
    await (await upgraded(await oldStore(layout), { fs: dry.fs })).close()
    const total = dry.trace.length
    const outcomes = new Set<string>()
    const step = Math.max(1, Math.floor(total / 12))
    for (let last = 0; last < total; last += last > total - 20 ? 1 : step) {
      const path = await oldStore(layout)
      const { fs } = faultyFileSystem(({ count }) => {
        if (count > last) throw systemError('EIO')
      })
      const failed = await refusedBy(upgraded(path, { fs }))
      for (const store of opened.splice(0)) await store.close().catch(() => undefined)
      const found = await open(path)
      outcomes.add(`${failed ? 'failed' : 'done'}, ${found.upgrade === undefined ? 'new' : 'old'}`)
      if (found.upgrade === undefined) await expectUpgraded(found, path, layout)
      else {
        expect(await marksIn(found.journal)).toEqual(Array.from({ length: events }, () => 0))
        expect(await found.witness.read()).toEqual({ seq: events, hash: 'old' })
      }
      await found.close()
      const store = await upgraded(path)
      await expectUpgraded(store, path, layout)
      await store.close()
    }
    expect([...outcomes].sort()).toEqual(expect.arrayContaining(['failed, new', 'failed, old']))
  }, 120_000)
})

describe('a store of an older format', () => {
  it('is refused, and not touched, where it is not to be upgraded', async () => {
    for (const layout of layouts) {
      const path = await oldStore(layout)
      const { fs, trace } = faultyFileSystem(() => undefined)
      const version = layout === 'level+files' ? 1 : 2
      await expect(open(path, { acceptsOlder: false, fs })).rejects.toMatchObject({
        code: 'UnsupportedFormat',
        details: { kind: 'older', version },
      })
      expect(trace.filter((call) => /^(write|rename|unlink|mkdir)/.test(call))).toEqual([])
    }
  })

  it('that an older change of its layout left unfinished gets the new parts first, and is then upgraded', async () => {
    const path = await oldStore('segments+tiered')
    await writeFile(join(path, 'FORMAT'), sealJson({ ...oldFormat('segments+tiered'), state: 'switching' }))
    await mkdir(join(migrationDirectory(path), 'tmp'), { recursive: true })
    await expect(open(path, { acceptsOlder: false })).rejects.toMatchObject({ details: { kind: 'older' } })
    const store = await open(path)
    expect(JSON.parse(await readFile(join(path, 'FORMAT'), 'utf8'))).toMatchObject({ version: 2, state: 'ready' })
    expect(upgradeOf(store).from).toBe(2)
    await store.close()
    await expectUpgraded(await upgraded(path), path, 'segments+tiered')
  })

  it.each<readonly [string, string | undefined]>([
    ['without a FORMAT', undefined],
    ['of another layout', sealJson({ storeId, version: 3, layout: 'segments+files', state: 'initialising' })],
    [
      'of another store',
      sealJson({ storeId: 'f'.repeat(32), version: 3, layout: 'level+files', state: 'initialising' }),
    ],
    ['of a whole store', sealJson({ storeId, version: 3, layout: 'level+files', state: 'ready' })],
    ['of an older change', sealJson({ storeId, version: 1, state: 'initialising' })],
    ['of a newer release', sealJson({ version: 9 })],
    ['with a damaged FORMAT', 'not what it was'],
  ])('is upgraded from the first event beside what is left in migrating %s', async (_, format) => {
    const path = await oldStore('level+files')
    const store = await open(path)
    const target = await upgradeOf(store).open()
    await write(target, 3)
    await target.close()
    const made = migrationDirectory(path)
    await writeFile(join(made, 'FORMAT'), format ?? '')
    if (format === undefined) await writeFile(join(made, 'FORMAT.tmp'), '')
    const again = await upgradeOf(store).open()
    expect(await again.journal.head()).toBe(0)
    await again.close()
    await upgradeOf(store).discard()
    expect(await readdir(path)).not.toContain('migrating')
  })

  it('needs room for a second log, of which it has what was written', async () => {
    const path = await oldStore('segments+files')
    let blocks = 1
    const space = { bsize: 1024, blocks: 1e9, files: 0, ffree: 0 }
    const { fs } = faultyFileSystem(({ operation }) =>
      operation === 'statfs' ? { ...space, bavail: blocks } : undefined,
    )
    const store = await open(path, { fs })
    const refused = await upgradeOf(store)
      .open()
      .catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'NoSpace', details: { free: 1024 } })
    const { needed } = (refused as { readonly details: { readonly needed: number } }).details
    expect(needed).toBeGreaterThan(1024)
    expect(await readdir(path)).not.toContain('migrating')
    blocks = Math.ceil(needed / 1024)
    const target = await upgradeOf(store).open()
    await write(target)
    await target.close()
    blocks = 0
    const less = { code: 'NoSpace', details: { needed: expect.toSatisfy((rest: number) => rest < needed) as number } }
    await expect(upgradeOf(store).open()).rejects.toMatchObject(less)
  })

  it('that was moved away is not upgraded, nor is what took its place', async () => {
    const path = await oldStore('level+files')
    const store = await open(path)
    const target = await upgradeOf(store).open()
    await write(target)
    await target.close()
    await rename(path, `${path}-moved`)
    await rename(await oldStore('level+files'), path)
    await mkdir(join(migrationDirectory(path), 'events'), { recursive: true })
    const moved = { code: 'BlobFailed', details: { kind: 'directory' } }
    await expect(upgradeOf(store).open()).rejects.toMatchObject(moved)
    await expect(upgradeOf(store).discard()).rejects.toMatchObject(moved)
    await expect(upgradeOf(store).finish()).rejects.toMatchObject(moved)
    expect(await readdir(migrationDirectory(path))).toEqual(['events'])
    expect(await readFile(join(path, 'FORMAT'), 'utf8')).toBe(sealJson(oldFormat('level+files')))
  })

  it('loses a target whose log cannot be opened', async () => {
    const path = await oldStore('level+files')
    const store = await open(path)
    const target = await upgradeOf(store).open()
    await write(target)
    await target.close()
    await writeFile(join(migrationDirectory(path), 'events', 'CURRENT'), 'no line')
    const again = await upgradeOf(store).open()
    expect(await again.journal.head()).toBe(0)
    await again.close()
  })
})
