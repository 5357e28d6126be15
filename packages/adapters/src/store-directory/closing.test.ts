import { join } from 'node:path'
import { type BlobId, isStorageError } from '@varve/core'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { pinFile } from '../files/pinned-file.ts'
import { layouts } from '../layouts/layout.ts'
import { openLevelDirectory } from '../level-journal/open-level-directory.ts'
import * as lmdb from '../lmdb-journal/lmdb-environment.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import * as sqlite from '../sqlite-journal/load-sqlite.ts'
import { randomIds } from '../system/random-ids.ts'
import { openStoreDirectory, type StoreDirectory } from './open-store-directory.ts'

vi.mock('../lmdb-journal/lmdb-environment.ts', { spy: true })
vi.mock('../sqlite-journal/load-sqlite.ts', { spy: true })
afterEach(() => void vi.resetAllMocks())

const scratch = scratchDirectory()
const bytes = new Uint8Array([1, 2, 3])
const full = () => Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
const broken = () => Object.assign(new Error('input/output error'), { code: 'EIO' })

/** Databases that close, and then throw as the packages do: without a code of ours. */
async function databasesThatFail(failure: () => Error) {
  const failing = { on: false }
  const fail = () => {
    if (failing.on) throw failure()
  }
  const openSql = await sqlite.loadSqlite()
  vi.mocked(sqlite.loadSqlite).mockResolvedValue((path) => {
    const db = openSql(path)
    const prepare = (sql: string) => {
      const statement = db.prepare(sql)
      if (!sql.includes('TRUNCATE')) return statement
      return { ...statement, get: () => (fail(), statement.get()) }
    }
    return { exec: (sql) => db.exec(sql), prepare, close: () => db.close() }
  })
  const openLmdb = await lmdb.loadLmdb()
  vi.mocked(lmdb.loadLmdb).mockResolvedValue((path) => {
    const env = openLmdb(path)
    const close = async () => {
      await env.close()
      fail()
    }
    return new Proxy(env, {
      get(of, name) {
        if (name === 'close') return close
        const value: unknown = Reflect.get(of, name)
        return typeof value === 'function' ? value.bind(of) : value
      },
    })
  })
  const openLevel: typeof openLevelDirectory = async (path, options) => {
    const db = await openLevelDirectory(path, options)
    const { close } = db
    return Object.assign(db, {
      close: async () => {
        await Reflect.apply(close, db, [])
        fail()
      },
    })
  }
  return { failing, openLevel }
}

async function writeTo({ journal, blobs }: StoreDirectory): Promise<BlobId> {
  const expectedHead = await journal.head()
  await journal.commit({ expectedHead, events: [bytes], rows: [{ key: bytes, value: bytes }] })
  const id = randomIds.next()
  await blobs.write(
    id,
    (async function* () {
      yield bytes
    })(),
  )
  return id
}

async function failureOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work()
    return undefined
  } catch (error) {
    return error
  }
}

describe.each(layouts.map(({ name }) => name))('a directory of layout %s', (layout) => {
  it.each([
    ['full', full, 'NoSpace'],
    ['broken', broken, 'JournalFailed'],
  ])('closes with a code when its database finds the disk %s, and has all there was', async (_what, failure, code) => {
    const path = join(scratch.next(), 'store')
    const { failing, openLevel } = await databasesThatFail(failure)
    const store = await openStoreDirectory(path, { layout, openLevel })
    await store.markReady()
    const id = await writeTo(store)
    failing.on = true
    const closing = await failureOf(() => store.close())
    expect(isStorageError(closing, code as 'NoSpace')).toBe(true)
    expect(await failureOf(() => store.close())).toBe(closing)
    failing.on = false
    const again = await openStoreDirectory(path, { layout, openLevel })
    expect(await again.journal.head()).toBe(1)
    expect([...((await again.journal.get(bytes)) ?? [])]).toEqual([...bytes])
    await (await again.blobs.open(id)).close()
    await again.close()
  })
})

/** Each kind of log, and each kind of blobs. */
const kinds = [
  ['level+files', 'bytes'],
  ['level+files', 'changed'],
  ['segments+segments', 'bytes'],
  ['lmdb+files', 'bytes'],
  ['sqlite+tiered', 'bytes'],
] as const

const quick = async () => undefined

/** One opening seals the tables, and the next one remembers them. */
async function makeTrusted(path: string, check: 'bytes' | 'changed'): Promise<void> {
  for (let i = 0; i < 3 && check === 'changed'; i++) {
    const store = await openStoreDirectory(path, { check, fs: failingAt(0, 'none').fs })
    store.markSound()
    await store.close()
  }
}

describe.each(kinds)('a directory of layout %s on a disk with faults, with check: %s', (layout, check) => {
  const markSound = (store: StoreDirectory): void => (check === 'changed' ? store.markSound() : undefined)

  it('opens and closes with nothing but codes and leaves no file open, whatever call to the file system fails', async () => {
    const path = join(scratch.next(), 'store')
    const made = await openStoreDirectory(path, { layout })
    await made.markReady()
    await writeTo(made)
    await made.close()
    const { fs: whole, calls } = failingAt(0, 'none')
    await makeTrusted(path, check)
    const first = await openStoreDirectory(path, { fs: whole, check })
    expect((first.unread?.bytes ?? 0) > 0).toBe(check === 'changed')
    await first.unread?.check(quick)
    markSound(first)
    await writeTo(first)
    await first.close()
    let written = 2
    for (let failing = 1; failing <= calls(); failing++) {
      const { fs, open } = failingAt(failing, failing % 2 === 0 ? 'ENOSPC' : 'EIO')
      const failures: unknown[] = []
      const store = await openStoreDirectory(path, { fs, check }).catch((error: unknown) => void failures.push(error))
      if (store !== undefined) {
        markSound(store)
        if ((await failureOf(() => writeTo(store))) === undefined) written++
        failures.push(await failureOf(async () => store.unread?.check(quick)))
        failures.push(await failureOf(() => store.close()))
      }
      const uncoded = failures.filter((error) => error !== undefined && !isStorageError(error))
      expect(uncoded, `call ${failing}`).toEqual([])
      expect([...open.values()], `call ${failing}`).toEqual([])
      const healthy = await openStoreDirectory(path, { check: 'none' })
      expect(await healthy.journal.head()).toBeGreaterThanOrEqual(written)
      written = await healthy.journal.head()
      markSound(healthy)
      await healthy.close()
    }
  }, 60_000)
})

/** A file system whose call with this number fails with this system error code. */
function failingAt(failing: number, code: string) {
  let count = 0
  const files = new Map<object, string>()
  const counted =
    <A extends unknown[], R>(work: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      if (++count === failing) throw Object.assign(new Error(`${code}: as asked`), { code })
      return work(...given)
    }
  const open = async (...given: Parameters<FileSystem['open']>) => {
    const file = await nodeFileSystem.open(...given)
    files.set(file, given.join(' '))
    const { readSync: _one, ...rest } = {
      read: counted((...of: Parameters<typeof file.read>) => file.read(...of)),
      write: counted((...of: Parameters<typeof file.write>) => file.write(...of)),
      stat: counted(() => file.stat()),
      sync: counted(() => file.sync()),
      datasync: counted(() => file.datasync()),
      // Closed in any case, as the system does.
      close: async () => {
        await file.close()
        files.delete(file)
        await counted(async () => undefined)()
      },
      readSync: undefined,
    }
    return rest
  }
  const fs: FileSystem = {
    open: counted(open),
    mkdir: counted((...of) => nodeFileSystem.mkdir(...of)),
    rename: counted((...of) => nodeFileSystem.rename(...of)),
    unlink: counted((...of) => nodeFileSystem.unlink(...of)),
    readdir: counted((...of) => nodeFileSystem.readdir(...of)),
    stat: counted((...of) => nodeFileSystem.stat(...of)),
    sizes: counted((...of) => nodeFileSystem.sizes(...of)),
    statfs: counted((...of) => nodeFileSystem.statfs(...of)),
    pin(path) {
      if (++count === failing) throw Object.assign(new Error(`${code}: as asked`), { code })
      const pinned = pinFile(path)
      files.set(pinned, path)
      // As if the tables had been left alone for a while.
      const aheadNs = path.endsWith('checked.tmp') ? 60_000_000_000n : 0n
      return {
        stamp: { ...pinned.stamp, ctimeNs: pinned.stamp.ctimeNs + aheadNs },
        read: counted(pinned.read),
        close() {
          pinned.close()
          files.delete(pinned)
        },
      }
    },
  }
  return { fs, calls: () => count, open: files }
}
