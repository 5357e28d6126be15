import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Journal } from '@varve/core'
import { journalContract } from '@varve/core/contracts'
import { describe, expect, it } from 'vitest'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { openedJournals } from '../row-states/opened-journals.fixture.ts'
import { loadLmdb, type OpenLmdb } from './lmdb-environment.ts'
import { lmdbComplaint } from './lmdb-pages.ts'
import { openLmdbJournal } from './open-lmdb-journal.ts'
import { rescueLmdb } from './rescue-lmdb.ts'
import { twoEngines } from '../two-engines.fixture.ts'

const openLmdb = await loadLmdb()
const { directory, opened, scratch } = openedJournals(openLmdbJournal)

const bytes = (...values: number[]) => Uint8Array.from(values)
const everything = { gte: bytes(), lt: bytes(0xff) }
const commitOf = (expectedHead: number) => ({
  expectedHead,
  events: [bytes(expectedHead)],
  rows: [{ key: bytes(1, expectedHead), value: bytes(expectedHead) }],
})

async function fill(journal: Journal, count: number): Promise<void> {
  for (let head = await journal.head(), end = head + count; head < end; head++) await journal.commit(commitOf(head))
}

const canLimitFiles = spawnSync('prlimit', ['--version']).status === 0
if (!canLimitFiles) console.log('Skipped: there is no prlimit (util-linux), which makes writes fail.')

/** How large the files of this process may become. */
const limitFiles = (to: string): void =>
  void execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${to}:unlimited`])

describe('a journal in LMDB', () => {
  const openFresh = async () => {
    const path = scratch.next()
    const reopen = () => openLmdbJournal(path, { createIfMissing: true })
    return { instance: await reopen(), reopen }
  }
  for (const { name, run } of journalContract) it(name, () => run(openFresh))
  for (const { name, run } of twoEngines) it(name, () => run(openFresh))

  it('creates nothing by default where there is no database', async () => {
    const path = await directory()
    const missing = { code: 'LogCorrupt', details: { kind: 'missing' } }
    await expect(openLmdbJournal(path)).rejects.toMatchObject(missing)
    expect(await readdir(path)).toEqual([])
  })

  it('calls a file that is no database damage', async () => {
    const path = await directory()
    await writeFile(join(path, 'log.mdb'), 'paper and ink '.repeat(2000))
    await expect(openLmdbJournal(path)).rejects.toMatchObject({ code: 'LogCorrupt', details: { kind: 'damaged' } })
    await expect(rescueLmdb(path)).rejects.toMatchObject({ code: 'LogCorrupt' })
  })

  it('fails, and does not end the process, if the file of its locks cannot be opened', async () => {
    const path = await directory()
    await (await openLmdbJournal(path, { createIfMissing: true })).close()
    await rm(join(path, 'log.mdb-lock'), { force: true })
    await mkdir(join(path, 'log.mdb-lock'))
    await expect(openLmdbJournal(path)).rejects.toMatchObject({ code: 'JournalFailed', details: { kind: 'EISDIR' } })
  })

  it('waits for a file of its locks, and for a database, that are busy for a moment', async () => {
    const path = await directory()
    await (await openLmdbJournal(path, { createIfMissing: true })).close()
    let busy = 2
    const open: typeof nodeFileSystem.open = async (name, ...rest) => {
      if (name.endsWith('-lock') && busy-- > 0) throw Object.assign(new Error('EBUSY: busy'), { code: 'EBUSY' })
      return nodeFileSystem.open(name, ...rest)
    }
    let refusals = 2
    const busyLmdb: OpenLmdb = (...args) => {
      if (refusals-- > 0) throw Object.assign(new Error('Device or resource busy'), { code: 16 })
      return openLmdb(...args)
    }
    const journal = await openLmdbJournal(path, { fs: { ...nodeFileSystem, open }, openLmdb: busyLmdb })
    expect(await journal.head()).toBe(0)
    expect(busy).toBeLessThan(0)
    expect(refusals).toBeLessThan(0)
    await journal.close()
  })

  it('closes with readers that were never closed', async () => {
    const path = await directory()
    const journal = await opened(path)
    await fill(journal, 3)
    const [cursor, snapshot] = [journal.cursor(everything), await journal.snapshot()]
    expect(await cursor.next(1)).toHaveLength(1)
    await fill(journal, 3)
    await journal.close()
    await Promise.all([cursor.close(), snapshot.close()])
    expect(await (await opened(path)).head()).toBe(6)
  })

  it('keeps the longest keys there are, and stops at those it has no room for', async () => {
    const journal = await opened(await directory())
    const [longest, longer] = [new Uint8Array(4025).fill(7), new Uint8Array(4026).fill(7)]
    await journal.commit({ expectedHead: 0, events: [], rows: [{ key: longest, value: bytes(1) }] })
    expect(await journal.get(longest)).toEqual(bytes(1))
    const commit = journal.commit({ expectedHead: 0, events: [bytes(1)], rows: [{ key: longer, value: bytes(1) }] })
    await expect(commit).rejects.toMatchObject({ code: 'JournalFailed' })
    expect(await journal.head()).toBe(0)
  })

  it('stops when a transaction fails, and reports why', async () => {
    const path = await directory()
    const why = Object.assign(new Error('No space left on device'), { code: 28 })
    let failing = false
    const broken: OpenLmdb = (file) => {
      const env = openLmdb(file)
      const fail = (): Promise<never> => {
        const commitError = Promise.reject(why)
        return Promise.reject(Object.assign(new Error('Commit failed'), { commitError }))
      }
      return new Proxy(env, {
        get(target, name) {
          if (name === 'batch' && failing) return fail
          const value: unknown = Reflect.get(target, name)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
    }
    const journal = await opened(path, { openLmdb: broken })
    await fill(journal, 2)
    failing = true
    const details = { kind: 'ENOSPC' }
    await expect(journal.commit(commitOf(2))).rejects.toMatchObject({ code: 'JournalFailed', details, cause: why })
    failing = false
    await expect(journal.commit(commitOf(2))).rejects.toMatchObject({ code: 'JournalFailed' })
    expect(await journal.get(bytes(1, 1))).toEqual(bytes(1))
  })

  // Nothing else here makes a write of LMDB fail.
  it.skipIf(!canLimitFiles)('reports a full medium to the commits alone', async () => {
    const journal = await opened(await directory())
    await fill(journal, 2)
    const unheard: unknown[] = []
    const hear = (error: unknown): void => void unheard.push(error)
    process.on('unhandledRejection', hear)
    limitFiles('1024')
    try {
      const outcomes = await Promise.allSettled([2, 3, 4].map((head) => journal.commit(commitOf(head))))
      expect(outcomes.map(({ status }) => status)).toEqual(Array(3).fill('rejected'))
    } finally {
      limitFiles('unlimited')
    }
    await expect(journal.commit(commitOf(2))).rejects.toMatchObject({ code: 'JournalFailed' })
    expect(await journal.head()).toBe(2)
    // Unhandled rejections are reported after all others.
    await new Promise((resolve) => setTimeout(resolve, 50))
    process.off('unhandledRejection', hear)
    expect(unheard).toEqual([])
  })

  it('goes on from what a crash left of one that was being made', async () => {
    const path = await directory()
    await writeFile(join(path, 'log.mdb'), new Uint8Array(16_384))
    await fill(await opened(path), 1)
  })
})

/** Of all that a page can have: long keys and long values, many of them, and free pages. */
async function grown(path: string): Promise<{ readonly rows: number }> {
  const journal = await opened(path)
  const keyOf = (i: number) => Uint8Array.of(1, i >> 8, i & 255, ...new Uint8Array(i % 7 === 0 ? 900 : 5))
  for (let round = 0; round < 3; round++) {
    for (let part = 0; part < 600; part += 200) {
      const rows = Array.from({ length: 200 }, (_, i) => ({
        key: keyOf(part + i),
        value: new Uint8Array((part + i) % 50 === 0 ? 30_000 : 120 + round).fill(round),
      }))
      await journal.commit({ expectedHead: await journal.head(), events: [bytes(round, 1), bytes(round, 2)], rows })
    }
  }
  await journal.commit({ expectedHead: 18, events: [], rows: [{ key: keyOf(50), value: null }] })
  await journal.close()
  return { rows: 599 }
}

describe('the pages of a file of LMDB', () => {
  it('are right, whatever is kept on them', async () => {
    const path = await directory()
    const empty = await opened(path)
    const file = join(path, 'log.mdb')
    expect(await lmdbComplaint(nodeFileSystem, file)).toBeUndefined()
    await empty.close()
    for (let i = 0; i < 2; i++) {
      await grown(await directory())
      const other = await directory()
      await grown(other)
      expect(await lmdbComplaint(nodeFileSystem, join(other, 'log.mdb'))).toBeUndefined()
    }
  })

  it('are found damaged before LMDB sees them, and the rest is saved', async () => {
    const path = await directory()
    const { rows } = await grown(path)
    const whole = await readFile(join(path, 'log.mdb'))
    let refused = 0
    for (let page = 2; page < whole.length / 8192; page += 3) {
      const damaged = await directory()
      await writeFile(join(damaged, 'log.mdb'), Buffer.from(whole).fill(0xa5, page * 8192, (page + 1) * 8192))
      const outcome = await openLmdbJournal(damaged).then(
        (journal) => journal.close(),
        (error: unknown) => error,
      )
      // A page that is free, or far into a long value, can hold anything.
      if (outcome === undefined) continue
      refused++
      expect(outcome).toMatchObject({ code: 'LogCorrupt', details: { kind: 'damaged' } })
      await rescueLmdb(damaged)
      const journal = await opened(damaged, { createIfMissing: false })
      expect((await journal.cursor(everything).next(1000)).length).toBeLessThanOrEqual(rows)
      await fill(journal, 1)
    }
    expect(refused).toBeGreaterThan(2)
  }, 60_000)

  it('are all saved where none is damaged', async () => {
    const path = await directory()
    const { rows } = await grown(path)
    await rescueLmdb(path)
    const journal = await opened(path, { createIfMissing: false })
    expect(await journal.head()).toBe(18)
    let seen = 0
    const cursor = journal.cursor(everything)
    for (let page = await cursor.next(100); page.length > 0; page = await cursor.next(100)) seen += page.length
    expect(seen).toBe(rows)
  })
})
