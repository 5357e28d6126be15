import { cp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { failing, faultyFileSystem } from '../files/faulty-file-system.fixture.ts'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { type FileStamp, pinFile } from '../files/pinned-file.ts'
import type { LevelDatabase } from '../level-journal/level-database.ts'
import { openLevelDirectory } from '../level-journal/open-level-directory.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStoreDirectory, type StoreDirectory, type StoreDirectoryOptions } from './open-store-directory.ts'
import { openReadOnlyDirectory } from './open-read-only-directory.ts'
import { sealJson, unsealJson } from './sealed-json.ts'

const scratch = scratchDirectory()
const quick = async () => undefined

/** The real file system. Its clock is ahead by `aheadNs`, as if files had been left alone for a while. */
function laterFileSystem(aheadNs = 60_000_000_000n, stampOf?: (path: string, stamp: FileStamp) => FileStamp) {
  const read: string[] = []
  const fs: FileSystem = {
    ...nodeFileSystem,
    open(path, flags, mode) {
      if (flags === 'r' && path.endsWith('.ldb')) read.push(basename(path))
      return nodeFileSystem.open(path, flags, mode)
    },
    pin(path) {
      const pinned = pinFile(path)
      const { stamp } = pinned
      if (path.endsWith('checked.tmp')) return { ...pinned, stamp: { ...stamp, ctimeNs: stamp.ctimeNs + aheadNs } }
      return { ...pinned, stamp: stampOf?.(path, stamp) ?? stamp }
    },
  }
  return { fs, read }
}

async function open(path: string, options: StoreDirectoryOptions = {}): Promise<StoreDirectory> {
  const store = await openStoreDirectory(path, { check: 'changed', fs: laterFileSystem().fs, ...options })
  await store.markReady()
  store.markSound()
  return store
}

const commit = async ({ journal }: StoreDirectory) =>
  journal.commit({ expectedHead: await journal.head(), events: [Uint8Array.of(7)], rows: [] })

/** Opens and closes the store; the tables that the opening read. */
async function tablesRead(path: string, options: StoreDirectoryOptions = {}): Promise<readonly string[]> {
  const { fs, read } = laterFileSystem()
  const store = await open(path, { fs, ...options })
  const found = [...read]
  await store.close()
  return found
}

const tablesOf = async (path: string) =>
  (await readdir(join(path, 'events'))).filter((name) => name.endsWith('.ldb')).sort()
const memoryOf = async (path: string) => unsealJson(await readFile(join(path, 'checked'), 'utf8'))

async function flip(path: string): Promise<void> {
  const bytes = await readFile(path)
  // Padding of a table, which LevelDB reads over.
  const at = bytes.length - 10
  bytes[at] = (bytes[at] as number) ^ 0x10
  await writeFile(path, bytes)
}

/** Damages a table so that the file system notes nothing of it, as a failing medium does. */
async function rot(path: string, table: string): Promise<FileSystem> {
  const file = join(path, 'events', table)
  const { stamp, close } = pinFile(file)
  close()
  await flip(file)
  return laterFileSystem(undefined, (of, now) => (of === file ? stamp : now)).fs
}

const refusal = (file: string) => ({ code: 'LogCorrupt', details: { kind: 'files', file } })

describe('an opening with check: changed', () => {
  let path: string
  let table: string

  beforeEach(async () => {
    path = scratch.next()
    for (let i = 0; i < 3; i++) {
      const store = await open(path, { check: 'bytes' })
      await commit(store)
      await store.close()
    }
    ;[table = ''] = await tablesOf(path)
  })

  it('reads each table once, and then trusts it', async () => {
    const tables = await tablesOf(path)
    expect((await tablesRead(path)).toSorted()).toEqual(expect.arrayContaining(tables))
    const store = await open(path)
    expect(store.unread?.bytes).toBeGreaterThan(0)
    await store.close()
    const read = await tablesRead(path)
    for (const name of tables) expect(read).not.toContain(name)
  })

  it('remembers nothing that changed within the last tick of the clock', async () => {
    const { fs } = laterFileSystem(0n)
    await (await open(path, { fs })).close()
    expect(await tablesRead(path)).toContain(table)
    expect(await tablesRead(path)).not.toContain(table)
  })

  it('remembers nothing with a time in the future: the clock was set back', async () => {
    await (await open(path, { fs: laterFileSystem(-60_000_000_000n).fs })).close()
    expect(await tablesRead(path)).toContain(table)
  })

  it.each<[string, (file: string) => Promise<unknown>]>([
    ['was written again with the same bytes', async (file) => writeFile(file, await readFile(file))],
    ['had its times set', async (file) => utimes(file, new Date(), (await stat(file)).mtime)],
    [
      'was replaced by a copy',
      async (file) => cp(file, `${file}.aside`).then(() => nodeFileSystem.rename(`${file}.aside`, file)),
    ],
  ])('reads a table that %s', async (_, change) => {
    await tablesRead(path)
    await change(join(path, 'events', table))
    expect(await tablesRead(path)).toContain(table)
    expect(await tablesRead(path)).not.toContain(table)
  })

  it('refuses a table that a program changed, even if it set size and time as they were', async () => {
    await tablesRead(path)
    const file = join(path, 'events', table)
    const { atime, mtime } = await stat(file)
    await flip(file)
    await utimes(file, atime, mtime)
    await expect(open(path)).rejects.toMatchObject(refusal(table))
    await flip(file)
    await truncate(file, 10)
    await expect(open(path)).rejects.toMatchObject(refusal(table))
    await rm(file)
    await expect(open(path)).rejects.toMatchObject(refusal(table))
  })

  it('reads everything in a copy of the store', async () => {
    await tablesRead(path)
    const copy = scratch.next()
    await cp(path, copy, { recursive: true, preserveTimestamps: true })
    expect(await tablesRead(copy)).toContain(table)
  })

  it.each<[string, (text: string) => string | undefined]>([
    ['lost', () => undefined],
    ['damaged', (text) => text.replace(/\d/, (digit) => String((Number(digit) + 1) % 10))],
    ['cut off', (text) => text.slice(0, 40)],
    ['of another release', (text) => sealJson({ ...unsealJson(text), version: 2 })],
    ['without its stamps', (text) => sealJson({ ...unsealJson(text), files: [['000005.ldb', 1, 1]] })],
  ])('reads everything when its memory is %s', async (_, change) => {
    await tablesRead(path)
    const text = change(await readFile(join(path, 'checked'), 'utf8'))
    if (text === undefined) await rm(join(path, 'checked'))
    else await writeFile(join(path, 'checked'), text)
    expect(await tablesRead(path)).toContain(table)
    expect(await tablesRead(path)).not.toContain(table)
  })

  it('trusts a memory only for the file that the seal describes', async () => {
    await tablesRead(path)
    const { files, ...rest } = (await memoryOf(path)) as { files: [string, number, number][] }
    const others = files.map(([name, size, crc, ...stamp]) => [name, size, (crc ^ 1) >>> 0, ...stamp])
    await writeFile(join(path, 'checked'), sealJson({ ...rest, files: others }))
    expect(await tablesRead(path)).toContain(table)
  })

  it('reads everything after a crash', async () => {
    await tablesRead(path)
    const store = await openStoreDirectory(path, { check: 'changed' })
    await store.close()
    expect(await tablesRead(path)).toContain(table)
  })

  it('works where the memory cannot be written', async () => {
    const { fs } = faultyFileSystem(failing('open', /^checked\.tmp$/, 'ENOSPC'))
    await (await open(path, { fs })).close()
    expect(await readdir(path)).not.toContain('checked')
    const late = laterFileSystem().fs
    const full = {
      ...late,
      open: (...of: Parameters<FileSystem['open']>) => {
        if (of[0].endsWith('checked.tmp')) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
        return late.open(...of)
      },
    }
    expect(await tablesRead(path)).toContain(table)
    await rm(join(path, 'checked'))
    await (await open(path, { fs: full })).close()
    expect(await readdir(path)).not.toContain('checked')
  })

  it('reads everything where files cannot be pinned', async () => {
    await tablesRead(path)
    const { pin: _, ...fs } = laterFileSystem().fs
    const store = await open(path, { fs })
    expect(store.unread?.bytes).toBe(0)
    await store.close()
  })

  it('never trusts in an opening that only reads, and leaves the memory alone', async () => {
    await tablesRead(path)
    const before = await readFile(join(path, 'checked'))
    await rot(path, table)
    await expect(openReadOnlyDirectory(path, { check: 'changed' })).rejects.toMatchObject(refusal(table))
    expect(await readFile(join(path, 'checked'))).toEqual(before)
  })

  it('trusts nothing in a layout with one file that changes', async () => {
    const other = scratch.next()
    for (let i = 0; i < 3; i++) {
      const store = await open(other, { layout: 'sqlite+files' })
      await commit(store)
      expect(store.unread?.bytes ?? 0).toBe(0)
      await store.close()
    }
    await flip(join(other, 'events', 'log.sqlite'))
    await expect(open(other)).rejects.toMatchObject(refusal('log.sqlite'))
  })
})

describe('what an opening trusted', () => {
  let path: string
  let table: string

  beforeEach(async () => {
    path = scratch.next()
    for (let i = 0; i < 4; i++) {
      const store = await open(path)
      await commit(store)
      await store.close()
    }
    ;[table = ''] = await tablesOf(path)
  })

  it('is read while the store is open, at the pace that is given', async () => {
    const store = await open(path)
    const bytes = store.unread?.bytes
    let paced = 0
    await store.unread?.check(async (read) => void (paced += read))
    expect(paced).toBe(bytes)
    expect(store.unread?.bytes).toBe(0)
    await commit(store)
    await store.close()
    const again = await open(path)
    expect(again.sealed).toBe(true)
    await again.close()
  })

  it('goes unnoticed by the opening if the medium damaged it, and is found by the check', async () => {
    const fs = await rot(path, table)
    const store = await open(path, { fs })
    await expect(store.unread?.check(quick)).rejects.toMatchObject(refusal(table))
    await store.close()
    await expect(open(path, { fs, check: 'bytes' })).rejects.toMatchObject({ code: 'LogCorrupt' })
    await expect(open(path, { fs })).rejects.toMatchObject({ code: 'LogCorrupt' })
    expect(await readdir(path)).not.toContain('checked')
  })

  it('is refused after damage was found, even if the database has removed the damaged file since', async () => {
    const fs = await rot(path, table)
    const store = await open(path, { fs })
    await rm(join(path, 'events', table))
    await expect(store.unread?.check(quick)).rejects.toMatchObject(refusal(table))
    await store.close().catch(() => undefined)
    await expect(open(path)).rejects.toMatchObject(refusal(expect.any(String) as string))
  })

  it('is read when the store closes, if it was merged into others unread', async () => {
    const fs = await rot(path, table)
    const store = await open(path, { fs })
    await rm(join(path, 'events', table))
    await expect(store.close()).rejects.toMatchObject(refusal(table))
    await expect(open(path)).rejects.toMatchObject({ code: 'LogCorrupt' })
  })

  it('is found damaged even if LevelDB itself has merged it', async () => {
    const fs = await rot(path, table)
    const opened: LevelDatabase[] = []
    const store = await open(path, {
      fs,
      async openLevel(of, options) {
        const db = await openLevelDirectory(of, options)
        opened.push(db)
        return db
      },
    })
    const [db] = opened
    const batch = db?.batch()
    // Around the keys of all events, so that every table is merged with it.
    batch?.put(Uint8Array.of(0), Uint8Array.of(7))
    batch?.put(Uint8Array.of(254), Uint8Array.of(7))
    await batch?.write({ sync: true })
    await db?.compactRange?.(Uint8Array.of(0), Uint8Array.of(255))
    expect(await tablesOf(path)).not.toContain(table)
    await expect(store.close()).rejects.toMatchObject(refusal(table))
    for (const check of ['bytes', 'changed', 'sizes'] as const) {
      await expect(open(path, { check })).rejects.toMatchObject({ code: 'LogCorrupt', details: { kind: 'files' } })
    }
  })

  it('is read in full when the store closes, if it cannot be known what was merged', async () => {
    const rotten = await rot(path, table)
    let isFailing = false
    const fs: FileSystem = {
      ...rotten,
      async readdir(of) {
        if (isFailing) throw Object.assign(new Error('EMFILE'), { code: 'EMFILE' })
        return rotten.readdir(of)
      },
    }
    const store = await open(path, { fs })
    isFailing = true
    await expect(store.close()).rejects.toMatchObject(refusal(table))
  })

  it('is read even if the names of the files cannot be read', async () => {
    const late = laterFileSystem().fs
    let isFailing = false
    const readdir = (of: string): Promise<string[]> =>
      isFailing ? Promise.reject(Object.assign(new Error('EMFILE'), { code: 'EMFILE' })) : late.readdir(of)
    const store = await open(path, { fs: { ...late, readdir } })
    isFailing = true
    await store.unread?.check(quick)
    expect(store.unread?.bytes).toBe(0)
    isFailing = false
    await store.close()
  })

  it('does not hold up closing, and stays trusted if the check did not come to it', async () => {
    const store = await open(path)
    const [checking, goOn] = await new Promise<[Promise<unknown>, () => void]>((resolve) => {
      let isFirst = true
      const check = store.unread?.check(async () => {
        if (isFirst) await new Promise<void>((next) => resolve([check as Promise<void>, next]))
        isFirst = false
      })
    })
    const closing = store.close()
    goOn()
    await Promise.all([checking, closing])
    expect(await tablesRead(path)).not.toContain(table)
  })

  it('is read in turns: what was read last is read last again', async () => {
    const [first] = ((await memoryOf(path)) as { files: [string][] }).files
    const store = await open(path)
    let parts = 0
    const ended = new Error('enough')
    await expect(
      store.unread?.check(async () => {
        if (++parts === 2) throw ended
      }),
    ).rejects.toBe(ended)
    await store.close()
    const { files } = (await memoryOf(path)) as { files: [string][] }
    expect(files.at(-1)?.[0]).toBe(first?.[0])
  })

  it('ends in no seal if it cannot be read, and everything is read at the next opening', async () => {
    const late = laterFileSystem().fs
    const fs: FileSystem = {
      ...late,
      pin(of) {
        const pinned = pinFile(of)
        return of.endsWith('.ldb')
          ? { ...pinned, read: () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' })) }
          : pinned
      },
    }
    const store = await open(path, { fs })
    await expect(store.unread?.check(quick)).rejects.toMatchObject({ code: 'JournalFailed' })
    await store.close()
    expect(await tablesRead(path)).toContain(table)
  })
})
