import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Journal, StorageError } from '@varve/core'
import { afterEach, describe, expect, it } from 'vitest'
import { type FileCall, faultyFileSystem, systemError } from '../files/faulty-file-system.fixture.ts'
import { openLevelDirectory } from '../level-journal/open-level-directory.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStoreDirectory, type StoreDirectory, type StoreDirectoryOptions } from './open-store-directory.ts'
import { sealJson } from './sealed-json.ts'

const scratch = scratchDirectory()
const opened: StoreDirectory[] = []
const blob = 'c'.repeat(32)

afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close().catch(() => undefined)))
})

async function open(path: string, options?: StoreDirectoryOptions): Promise<StoreDirectory> {
  const store = await openStoreDirectory(path, options)
  opened.push(store)
  return store
}

const append = (journal: Journal, expectedHead: number) =>
  journal.commit({ expectedHead, events: [Uint8Array.of(7)], rows: [] })

async function* source() {
  yield Uint8Array.of(1, 2, 3)
}

async function blobSize({ blobs }: StoreDirectory): Promise<number> {
  const handle = await blobs.open(blob)
  await handle.close()
  return handle.size
}

/** A store that was used and closed. */
async function usedStore(): Promise<string> {
  const path = scratch.next()
  const store = await open(path)
  await store.markReady()
  await append(store.journal, 0)
  await store.blobs.write(blob, source())
  await store.close()
  return path
}

/** Makes a store with a disk that answers nothing after so many calls, as if the process had ended there. */
function crashing(path: string, last: number) {
  const { fs, trace } = faultyFileSystem(({ count }) => {
    if (count > last) throw systemError('EIO')
  })
  const make = async () => {
    const store = await open(path, { fs })
    try {
      await store.markReady()
    } finally {
      await store.close()
    }
  }
  return { trace, outcome: make() }
}

describe('a store directory', () => {
  it('is made, used, and found again with all that was in it', async () => {
    const path = join(scratch.next(), 'deep', 'down')
    const store = await open(path)
    expect(store.created).toBe(true)
    expect(store.storeId).toMatch(/^[0-9a-f]{32}$/)
    await Promise.all([store.markReady(), store.markReady()])
    await append(store.journal, 0)
    await store.blobs.write(blob, source())
    await store.witness.write({ seq: 1, hash: 'h' })
    expect(await store.reserve.exhausted()).toBe(false)
    await Promise.all([store.close(), store.close()])

    const again = await open(path, { create: false })
    expect(again.created).toBe(false)
    expect(again.storeId).toBe(store.storeId)
    expect(await again.journal.head()).toBe(1)
    expect(await blobSize(again)).toBe(3)
    expect(await again.witness.read()).toEqual({ seq: 1, hash: 'h' })
  })

  it('is private', async () => {
    const path = await usedStore()
    for (const name of ['', 'blobs', 'blobs/cc', 'tmp', 'events']) {
      expect((await stat(join(path, name))).mode & 0o777, name).toBe(0o700)
    }
    for (const name of ['FORMAT', `blobs/cc/${blob}`]) expect((await stat(join(path, name))).mode & 0o777).toBe(0o600)
    expect((await readdir(path)).sort()).toEqual(['FORMAT', 'blobs', 'events', 'lock', 'tmp'])
  })

  it('takes over an empty directory, even the root of a file system', async () => {
    const path = scratch.next()
    await mkdir(join(path, 'lost+found'), { recursive: true })
    await chmod(path, 0o755)
    expect((await open(path)).created).toBe(true)
    expect((await stat(path)).mode & 0o777).toBe(0o755)
  })

  it('has one owner, and names it in the error', async () => {
    const path = scratch.next()
    const store = await open(path)
    const link = scratch.next()
    await symlink(path, link)
    for (const spelling of [path, link, `${path}/`]) {
      const { fs, trace } = faultyFileSystem(() => undefined)
      const refused = open(spelling, { fs })
      await expect(refused).rejects.toMatchObject({ code: 'StoreLocked', details: { pid: process.pid } })
      const name = spelling.split('/').findLast((part) => part !== '')
      expect(trace).toEqual([`stat ${name}`, `readdir ${name}`])
    }
    await append(store.journal, 0)
    await store.close()
    expect(await (await open(path)).journal.head()).toBe(1)
  })

  it('counts commits and blobs against the reserve', async () => {
    const { fs, trace } = faultyFileSystem(() => undefined)
    const store = await open(scratch.next(), { fs, reserve: { minBytes: 800, minShare: 0 } })
    const requested = () => trace.filter((line) => line.startsWith('statfs')).length
    await store.reserve.exhausted()
    await store.reserve.exhausted()
    expect(requested()).toBe(1)
    const rows = [
      { key: new Uint8Array(50), value: new Uint8Array(51) },
      { key: new Uint8Array(1), value: null },
    ]
    await store.journal.commit({ expectedHead: 0, events: [], rows })
    await store.reserve.exhausted()
    expect(requested()).toBe(2)
    async function* large() {
      for (let i = 0; i < 3; i++) yield new Uint8Array(256 * 1024)
    }
    await store.blobs.write(blob, large())
    expect(requested()).toBe(4)
  })

  it('stops writes of blobs when the reserve is used up, and goes on with reads and deletes', async () => {
    const path = await usedStore()
    const store = await open(path, { reserve: { minShare: 1.01 } })
    await expect(store.blobs.write('d'.repeat(32), source())).rejects.toMatchObject({ code: 'NoSpace' })
    expect(await blobSize(store)).toBe(3)
    await store.blobs.delete([blob])
  })
})

describe('opening a store directory', () => {
  /** All that is there, with its contents. */
  async function contents(path: string): Promise<string> {
    const entries = await readdir(path, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    const texts = await Promise.all(files.sort().map(async (file) => `${file}: ${await readFile(file, 'latin1')}`))
    return `${entries.length} entries\n${texts.join('\n')}`
  }

  async function refused(path: string, refusal: object, options?: StoreDirectoryOptions): Promise<void> {
    const before = await contents(path)
    for (let i = 0; i < 2; i++) await expect(open(path, options)).rejects.toMatchObject(refusal)
    expect(await contents(path)).toBe(before)
  }

  it('makes nothing unless it may', async () => {
    const path = scratch.next()
    const missing = { code: 'StoreNotFound', details: { kind: 'missing' } }
    await expect(open(path, { create: false })).rejects.toMatchObject(missing)
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' })
    await mkdir(path)
    await refused(path, missing, { create: false })
  })

  it('leaves a directory alone that holds something else', async () => {
    for (const name of ['photo.jpg', '.hidden', 'blobs', 'events']) {
      const path = scratch.next()
      await mkdir(path)
      await writeFile(join(path, name), 'mine')
      for (const create of [true, false]) {
        await refused(path, { code: 'StoreNotFound', details: { kind: 'foreign' } }, { create })
      }
    }
    const file = scratch.next()
    await writeFile(file, 'no directory')
    const refusal = { code: 'InvalidArgument', details: { errno: 'ENOTDIR' } }
    await expect(open(file)).rejects.toMatchObject(refusal)
    await expect(open(join(file, 'below'))).rejects.toMatchObject(refusal)
    expect(await readFile(file, 'utf8')).toBe('no directory')
  })

  it('leaves a store alone that a newer release made', async () => {
    const path = await usedStore()
    await writeFile(join(path, 'FORMAT'), sealJson({ version: 4, shape: 'unheard of' }))
    await refused(path, { code: 'UnsupportedFormat', details: { kind: 'newer', version: 4 } })
    await writeFile(join(path, 'FORMAT'), sealJson({ version: 1, layout: 'unheard of' }))
    await refused(path, { code: 'UnsupportedFormat', details: { kind: 'newer', layout: 'unheard of' } })
  })

  it('leaves a store alone whose FORMAT is damaged', async () => {
    const path = await usedStore()
    await writeFile(join(path, 'FORMAT'), '{"storeId":"')
    await refused(path, { code: 'UnsupportedFormat', details: { kind: 'damaged' } })
  })

  it('never starts a log anew in a store that was ready', async () => {
    for (const lost of ['CURRENT', '.']) {
      const path = await usedStore()
      await rm(join(path, 'events', lost), { recursive: true })
      for (let i = 0; i < 2; i++) {
        await expect(open(path)).rejects.toMatchObject({ code: 'LogCorrupt', details: { kind: 'missing' } })
      }
    }
  })

  it('never takes lost blobs for blobs that were not there', async () => {
    for (const lost of ['blobs', 'tmp']) {
      const path = await usedStore()
      await rm(join(path, lost), { recursive: true })
      for (let i = 0; i < 2; i++) await expect(open(path)).rejects.toMatchObject({ code: 'BlobFailed' })
    }
    const path = await usedStore()
    await rm(join(path, 'blobs', 'cc'), { recursive: true })
    await expect(blobSize(await open(path))).rejects.toMatchObject({ code: 'BlobMissing' })
  })

  it('goes on from wherever making the store was broken off', async () => {
    const dry = crashing(scratch.next(), Number.POSITIVE_INFINITY)
    await dry.outcome
    const total = dry.trace.length
    for (let last = 0; last < total; last++) {
      const path = scratch.next()
      await expect(crashing(path, last).outcome, `crash after ${last} of ${total} calls`).rejects.toThrow(StorageError)
      const store = await open(path)
      expect(await store.journal.head()).toBe(0)
      if (store.created) await store.markReady()
      await append(store.journal, 0)
      await store.blobs.write(blob, source())
      await store.close()
      const again = await open(path, { create: false })
      expect([again.created, await again.journal.head()]).toEqual([false, 1])
      await again.close()
    }
  }, 60_000)

  it('stays unfinished until it is marked ready', async () => {
    const path = scratch.next()
    const first = await open(path)
    await append(first.journal, 0)
    await first.close()
    const second = await open(path, { create: false })
    expect([second.created, second.storeId, await second.journal.head()]).toEqual([true, first.storeId, 1])
    await second.markReady()
    await second.close()
    expect((await open(path)).created).toBe(false)
  })

  it('lets the directory go when it fails', async () => {
    const path = await usedStore()
    const broken = () => Promise.reject(new StorageError('JournalFailed', 'As planned.'))
    for (let i = 0; i < 2; i++)
      await expect(open(path, { openLevel: broken })).rejects.toMatchObject({ code: 'JournalFailed' })
    const { fs } = faultyFileSystem(({ operation, name }: FileCall) => {
      if (operation === 'stat' && name === 'tmp') throw systemError('EIO')
    })
    for (let i = 0; i < 2; i++) await expect(open(path, { fs })).rejects.toMatchObject({ code: 'BlobFailed' })
    expect(await (await open(path)).journal.head()).toBe(1)
  })
})

describe('closing a store directory', () => {
  it('lets go of the lock even when the log does not close', async () => {
    const path = await usedStore()
    const store = await open(path, {
      openLevel: async (...given) => {
        const db = await openLevelDirectory(...given)
        const close = db.close.bind(db)
        return Object.assign(db, { close: () => close().then(() => Promise.reject(systemError('EIO'))) })
      },
    })
    await expect(store.close()).rejects.toThrow('EIO')
    await expect(store.journal.head()).rejects.toMatchObject({ code: 'JournalClosed' })
    await expect(store.blobs.open(blob)).rejects.toMatchObject({ code: 'StoreClosed' })
    expect(await (await open(path)).journal.head()).toBe(1)
  })
})
