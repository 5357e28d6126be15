import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Journal, RowCursor } from '@varve/core'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { openedJournals } from '../row-states/opened-journals.fixture.ts'
import { loadLmdb, type LmdbEnvironment, type OpenLmdb } from './lmdb-environment.ts'
import { lmdbComplaint } from './lmdb-pages.ts'
import { openLmdbJournal } from './open-lmdb-journal.ts'

const openLmdb = await loadLmdb()
const { opened, scratch } = openedJournals(openLmdbJournal)

const bytes = (...values: number[]) => Uint8Array.from(values)
const everything = { gte: bytes(), lt: bytes(0xff) }
const lengths = [1, 40, 900, 4000, 5000, 9000, 70_000]
const keyOf = (i: number) => bytes(7, (i * 37) & 255, i >> 8, i & 255, ...new Uint8Array(i % 11 === 0 ? 700 : 0))
const isSecret = (i: number): boolean => i % 3 > 0
const valueOf = (i: number): Uint8Array => {
  const text = `${isSecret(i) ? 'secret' : 'kept'}-${i}-`
  return Uint8Array.from(Buffer.from(text.repeat(Math.ceil((lengths[i % lengths.length] ?? 1) / text.length))))
}
const all = Array.from({ length: 240 }, (_each, i) => i)
const secretKeys = all.filter(isSecret).map(keyOf)

/** Rows that arrive one by one between others, so LMDB moves them from page to page; each commit has an event. */
async function filled(journal: Journal): Promise<Journal> {
  for (const i of all) {
    await journal.commit({ expectedHead: i, events: [bytes(i)], rows: [{ key: keyOf(i), value: valueOf(i) }] })
  }
  return journal
}

const add = async (journal: Journal): Promise<void> => {
  const head = await journal.head()
  await journal.commit({ expectedHead: head, events: [bytes(1)], rows: [{ key: bytes(9), value: bytes(head & 255) }] })
}

async function isSecretIn(path: string): Promise<boolean> {
  const files = await Promise.all((await readdir(path)).map((name) => readFile(join(path, name))))
  return files.some((file) => file.includes('secret-'))
}

/** Everything that must still be there after the purge, and nothing else. */
async function expectPurged(journal: Journal, head = all.length): Promise<void> {
  expect(await journal.head()).toBe(head)
  let events = 0
  for await (const { seq } of journal.events()) expect(seq).toBe(++events)
  expect(events).toBe(head)
  const cursor = journal.cursor({ gte: bytes(7), lt: bytes(8) })
  const rows = await rowsOf(cursor)
  await cursor.close()
  const kept = all.filter((i) => !isSecret(i))
  expect(rows.size).toBe(kept.length)
  for (const i of kept) expect(hashOf(rows.get(hashOf(keyOf(i))) ?? bytes())).toBe(hashOf(valueOf(i)))
}

/** Comparing long arrays takes long. */
const hashOf = (of: Uint8Array): string => createHash('sha1').update(of).digest('hex')

async function rowsOf(cursor: RowCursor): Promise<Map<string, Uint8Array>> {
  const rows = new Map<string, Uint8Array>()
  for (let page = await cursor.next(13); page.length > 0; page = await cursor.next(13)) {
    for (const [key, value] of page) rows.set(hashOf(key), value)
  }
  return rows
}

const files = ['log.mdb', 'log.mdb-lock']
const filesIn = async (path: string) => (await readdir(path)).sort()

const coded = (code: string) => Object.assign(new Error(`There is ${code}.`), { code })

/** Calls of the file system, each of which `before` can make fail. */
function watched(before: (call: string, path: string) => void | Promise<void>): FileSystem {
  return {
    ...nodeFileSystem,
    async open(path, flags, mode) {
      await before('open', path)
      const file = await nodeFileSystem.open(path, flags, mode)
      const sync = file.sync.bind(file)
      return Object.assign(file, {
        sync: async () => {
          await before('sync', path)
          return sync()
        },
      })
    },
    async rename(from, to) {
      await before('rename', from)
      await nodeFileSystem.rename(from, to)
      await before('renamed', from)
    },
  }
}

const isCopy = (path: string): boolean => path.endsWith('log.mdb.tmp')

/** Opens copies whose call `name` fails. */
const openFailing =
  (failure: () => unknown, name: keyof LmdbEnvironment): OpenLmdb =>
  (path, options) => {
    const env = openLmdb(path, options)
    if (!isCopy(path)) return env
    return new Proxy(env, {
      get(target, property) {
        const error = failure()
        if (property === name && error !== undefined) return () => Promise.reject(error)
        const value: unknown = Reflect.get(target, property)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }

describe('a purge of a journal in LMDB', () => {
  // A slow failure would be followed by a rest.
  beforeEach(() => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1)
    return () => now.mockRestore()
  })

  it('leaves nothing of purged rows in the files, once no reader holds an older state', async () => {
    const path = scratch.next()
    const journal = await filled(await opened(path))
    const [snapshot, cursor] = [await journal.snapshot(), journal.cursor({ gte: bytes(7), lt: bytes(8) })]
    const [first] = await cursor.next(1)

    expect(await journal.purge?.(secretKeys)).toBe(false)
    expect(await snapshot.get(secretKeys[0] as Uint8Array)).toEqual(valueOf(1))
    await snapshot.close()
    expect(await journal.purge?.(secretKeys)).toBe(false)
    expect(first?.[0]).toEqual(keyOf(0))
    expect((await rowsOf(cursor)).size).toBe(all.length - 1)
    expect(await isSecretIn(path)).toBe(true)
    await cursor.close()
    const [purged] = await Promise.all([journal.purge?.(secretKeys), add(journal)])

    expect(purged).toBe(true)
    expect(await isSecretIn(path)).toBe(false)
    await expectPurged(journal, all.length + 1)
    await add(journal)
    expect(await journal.get(bytes(9))).toEqual(bytes((all.length + 1) & 255))
    await journal.close()
    expect(await filesIn(path)).toEqual(files)
    if (process.platform !== 'win32') expect((await stat(join(path, 'log.mdb'))).mode & 0o777).toBe(0o600)
    expect(await lmdbComplaint(nodeFileSystem, join(path, 'log.mdb'))).toBeUndefined()
    await expectPurged(await opened(path, { createIfMissing: false }), all.length + 2)
    expect(await isSecretIn(path)).toBe(false)
  })

  it('can be repeated, with commits and readers in between', async () => {
    const path = scratch.next()
    const journal = await filled(await opened(path))
    for (const [n, i] of all.filter(isSecret).slice(0, 40).entries()) {
      const snapshot = await journal.snapshot()
      const reading = snapshot.cursor(everything)
      await reading.next(3)
      await add(journal)
      expect(await journal.purge?.([keyOf(i)])).toBe(false)
      expect(await snapshot.get(keyOf(i))).toEqual(valueOf(i))
      await Promise.all([reading.close(), snapshot.close()])
      const [purged, , last] = await Promise.all([journal.purge?.([keyOf(i)]), add(journal), journal.get(bytes(9))])
      expect(purged).toBe(true)
      expect(last).toEqual(bytes((all.length + 2 * n) & 255))
      expect((await readFile(join(path, 'log.mdb'))).includes(Buffer.from(valueOf(i)))).toBe(false)
    }
    expect(await journal.head()).toBe(all.length + 80)
  })

  it('empties a file', async () => {
    const path = scratch.next()
    const journal = await opened(path)
    await journal.commit({ events: [], rows: [{ key: bytes(1), value: Buffer.from('secret-1') }] })
    expect(await journal.purge?.([bytes(1)])).toBe(true)
    expect(await isSecretIn(path)).toBe(false)
    expect(await journal.purge?.([])).toBe(true)
    await add(journal)
    expect(await journal.head()).toBe(1)
  })

  it('lets reads wait that begin while the file is replaced', async () => {
    const path = scratch.next()
    const journals: Journal[] = []
    const reads: Promise<unknown>[] = []
    const walks: RowCursor[] = []
    const readAll = (from: Journal): void => {
      const [cursor, snapshot] = [from.cursor(everything), from.snapshot()]
      const events = async () => {
        for await (const each of from.events({ to: 1 })) return each
      }
      reads.push(
        Promise.resolve(from.get(keyOf(0))),
        from.getMany([keyOf(0), keyOf(1)]),
        cursor.next(1),
        Promise.resolve(snapshot).then((held) => held.get(keyOf(3))),
        events(),
      )
    }
    const fs = watched(async (call, of) => {
      for (const journal of journals) {
        if (call === 'rename' || call === 'renamed') readAll(journal)
        if (!isCopy(of)) continue
        const walk = journal.cursor(everything)
        if (call === 'sync') await walk.next(1)
        walks.push(walk)
      }
    })
    const journal = await filled(await opened(path, { fs }))
    journals.push(journal)

    expect(await journal.purge?.(secretKeys)).toBe(true)
    journals.pop()

    const expected = [valueOf(0), [valueOf(0), undefined], [[keyOf(0), valueOf(0)]], valueOf(3)]
    const event = { seq: 1, bytes: bytes(0) }
    expect(await Promise.all(reads)).toEqual([...expected, event, ...expected, event])
    await add(journal)
    expect(await journal.purge?.([])).toBe(false)
    const kept = all.filter((i) => !isSecret(i)).length
    const counts = await Promise.all(walks.map(async (walk) => (await rowsOf(walk)).size))
    expect(counts).toEqual([kept, kept - 1, kept, kept])
  })

  it('keeps the longest values readable', async () => {
    const journal = await opened(scratch.next())
    const longest = new Uint8Array(16 * 1024 * 1024 + 100).fill(7)
    await journal.commit({ events: [], rows: [{ key: bytes(1), value: longest }] })
    for (let i = 0; i < 4; i++) {
      expect(await journal.purge?.([bytes(2, i - 1)])).toBe(true)
      expect(hashOf((await journal.get(bytes(1))) ?? bytes())).toBe(hashOf(longest))
      const cursor = journal.cursor({ gte: bytes(1), lt: bytes(2) })
      expect((await rowsOf(cursor)).get(hashOf(bytes(1)))).toHaveLength(longest.length)
      await cursor.close()
      await journal.commit({ events: [], rows: [{ key: bytes(2, i), value: new Uint8Array(i * 1_000_000) }] })
    }
  })

  it('waits for readers of older states alone', async () => {
    const path = scratch.next()
    const journal = await filled(await opened(path))
    const older = await journal.snapshot()
    expect(await journal.purge?.(secretKeys)).toBe(false)
    const newer = await journal.snapshot()
    expect(await journal.purge?.(secretKeys)).toBe(false)
    await older.close()
    expect(await journal.purge?.(secretKeys)).toBe(true)
    expect(await isSecretIn(path)).toBe(false)
    expect(await newer.getMany([keyOf(0), keyOf(1)])).toEqual([valueOf(0), undefined])
    await add(journal)
    expect(await newer.get(bytes(9))).toBeUndefined()
    await newer.close()
  })

  const failures: readonly (readonly [string, (error: () => Error | undefined) => object])[] = [
    ['to make the copy', (error) => ({ fs: watched((call, path) => throwIf(call === 'open' && isCopy(path), error)) })],
    ['to sync the copy', (error) => ({ fs: watched((call, path) => throwIf(call === 'sync' && isCopy(path), error)) })],
    ['to fill the copy', (error) => ({ openLmdb: openFailing(error, 'batch') })],
    ['to close the copy', (error) => ({ openLmdb: openFailing(error, 'close') })],
  ]
  it.each(failures)('goes on when it fails %s, and purges later', async (_when, optionsFor) => {
    const path = scratch.next()
    let error: Error | undefined
    const journal = await filled(
      await opened(
        path,
        optionsFor(() => error),
      ),
    )
    for (error of [coded('ENOSPC'), coded('EIO'), new Error('Commit failed')]) {
      expect(await journal.purge?.(secretKeys)).toBe(false)
      expect(await filesIn(path)).toEqual(files)
      await expectPurged(journal)
    }
    await add(journal)
    error = undefined
    expect(await journal.purge?.(secretKeys)).toBe(true)
    expect(await isSecretIn(path)).toBe(false)
    await expectPurged(journal, all.length + 1)
  })

  it('fails the journal when the file that it copies is damaged', async () => {
    const errors: Error[] = []
    const openDamaged: OpenLmdb = (path, options) =>
      new Proxy(openLmdb(path, options), {
        get(target, property) {
          if (property === 'getRange' && errors[0] !== undefined) throw errors[0]
          const value: unknown = Reflect.get(target, property)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
    const journal = await filled(await opened(scratch.next(), { openLmdb: openDamaged }))
    errors.push(Object.assign(new Error('MDB_CORRUPTED'), { code: -30_796 }))
    const details = { kind: 'MDB_CORRUPTED' }
    await expect(journal.purge?.(secretKeys)).rejects.toMatchObject({ code: 'JournalFailed', details })
    await expect(add(journal)).rejects.toMatchObject({ code: 'JournalFailed' })
  })

  it.each(['rename', 'renamed', 'sync'])('fails the journal, and loses nothing, when it fails at %s', async (at) => {
    const path = scratch.next()
    let failing = false
    const fs = watched((call, of) =>
      throwIf(failing && call === at && !(call === 'sync' && isCopy(of)), () => coded('EIO')),
    )
    const journal = await filled(await opened(path, { fs }))
    failing = true
    const failed = { code: 'JournalFailed', details: { kind: 'EIO' } }
    await expect(journal.purge?.(secretKeys)).rejects.toMatchObject(failed)
    failing = false
    await expect(add(journal)).rejects.toMatchObject({ code: 'JournalFailed' })
    await expect(journal.purge?.(secretKeys)).rejects.toMatchObject({ code: 'JournalFailed' })
    await expectPurged(journal)
    await journal.close()
    const again = await opened(path, { createIfMissing: false })
    await expectPurged(again)
    expect(await again.purge?.([])).toBe(true)
    expect(await isSecretIn(path)).toBe(false)
    expect(await filesIn(path)).toEqual(files)
  })

  it('fails the journal, and its reads, when the new file cannot be opened', async () => {
    const path = scratch.next()
    let openings = 0
    const openOnce: OpenLmdb = (file, options) => {
      if (!isCopy(file) && openings++ > 0) throw Object.assign(new Error('Too many open files'), { code: 24 })
      return openLmdb(file, options)
    }
    const journal = await filled(await opened(path, { openLmdb: openOnce }))
    const failed = { code: 'JournalFailed', details: { kind: 'EMFILE' } }
    await expect(journal.purge?.(secretKeys)).rejects.toMatchObject(failed)
    await expect(journal.getMany([keyOf(0)])).rejects.toMatchObject({ code: 'JournalFailed' })
    await expect(Promise.resolve(journal.get(keyOf(0)))).rejects.toMatchObject({ code: 'JournalFailed' })
    await expect(add(journal)).rejects.toMatchObject({ code: 'JournalFailed' })
    const cursor = journal.cursor(everything)
    await expect(cursor.next(1)).rejects.toMatchObject({ code: 'JournalFailed' })
    await cursor.close()
    await journal.close()
    await expectPurged(await opened(path))
  })

  it('leaves a whole file at each moment, and the next opening removes the copy', async () => {
    const path = scratch.next()
    const crashed: string[] = []
    const fs = watched(async (call, of) => {
      if (!isCopy(of) && call !== 'sync') return
      const copy = scratch.next()
      crashed.push(copy)
      await cp(path, copy, { recursive: true })
    })
    const journal = await filled(await opened(path))
    await journal.close()
    const watchedJournal = await opened(path, { fs })
    expect(await watchedJournal.purge?.(secretKeys)).toBe(true)
    expect(crashed.length).toBeGreaterThanOrEqual(4)
    let copies = 0
    for (const each of crashed) {
      if ((await readdir(each)).includes('log.mdb.tmp')) copies++
      const again = await opened(each, { createIfMissing: false })
      expect(await filesIn(each)).toEqual(files)
      await expectPurged(again)
      await add(again)
      expect(await again.purge?.([])).toBe(true)
      expect(await isSecretIn(each)).toBe(false)
      await again.close()
    }
    expect(copies).toBeGreaterThan(0)
  })

  it('removes half a copy also at an opening of a sealed file', async () => {
    const path = scratch.next()
    await (await filled(await opened(path))).close()
    for (const sealed of [true, false]) {
      await writeFile(join(path, 'log.mdb.tmp'), 'half')
      await writeFile(join(path, 'log.mdb.tmp-lock'), '')
      const journal = await opened(path, { createIfMissing: false, sealed })
      expect(await filesIn(path)).toEqual(files)
      await journal.close()
    }
  })

  const canLimitFiles = spawnSync('prlimit', ['--version']).status === 0
  if (!canLimitFiles) console.log('Skipped: there is no prlimit (util-linux), which makes writes fail.')
  // Nothing else here makes LMDB itself meet a full medium.
  it.skipIf(!canLimitFiles)('goes on when the medium is full', async () => {
    const path = scratch.next()
    const journal = await filled(await opened(path))
    const limit = (to: string) => execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${to}:unlimited`])
    expect(await journal.purge?.(secretKeys.slice(0, 1))).toBe(true)
    const held = await journal.snapshot()
    expect(await journal.purge?.(secretKeys)).toBe(false)
    await held.close()
    limit('100000')
    try {
      expect(await journal.purge?.([])).toBe(false)
    } finally {
      limit('unlimited')
    }
    expect(await filesIn(path)).toEqual(files)
    await add(journal)
    expect(await journal.purge?.(secretKeys)).toBe(true)
    expect(await isSecretIn(path)).toBe(false)
    await expectPurged(journal, all.length + 1)
  })
})

function throwIf(condition: boolean, error: () => Error | undefined): void {
  const thrown = condition ? error() : undefined
  if (thrown !== undefined) throw thrown
}
