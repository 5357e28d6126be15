import { open, readdir, readFile, readlink, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Journal, isStorageError } from '@varve/core'
import { journalContract } from '@varve/core/contracts'
import { describe, expect, it } from 'vitest'
import { openedJournals } from '../row-states/opened-journals.fixture.ts'
import { openSqliteJournal, type SqliteJournalOptions } from './open-sqlite-journal.ts'
import { rescueSqlite } from './rescue-sqlite.ts'
import type { OpenSql } from './sql-database.ts'
import { sqliteEngines } from './sqlite-engines.fixture.ts'
import { twoEngines } from '../two-engines.fixture.ts'

const { closedAfterwards, directory, opened, scratch } = openedJournals(openSqliteJournal)

const bytes = (...values: number[]) => Uint8Array.from(values)
const everything = { gte: bytes(), lt: bytes(0xff) }
const commitOf = (expectedHead: number, size = 1) => ({
  expectedHead,
  events: [bytes(expectedHead)],
  rows: [{ key: bytes(1, expectedHead >> 8, expectedHead & 255), value: new Uint8Array(size).fill(expectedHead) }],
})

async function fill(journal: Journal, count: number, size?: number): Promise<void> {
  for (let head = await journal.head(), end = head + count; head < end; head++)
    await journal.commit(commitOf(head, size))
}

const walSize = async (path: string): Promise<number> =>
  stat(join(path, 'log.sqlite-wal')).then(
    ({ size }) => size,
    () => 0,
  )

async function openFilesIn(path: string): Promise<readonly string[]> {
  collectGarbage()
  const handles = await readdir('/proc/self/fd')
  const targets = await Promise.all(handles.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')))
  return targets.filter((target) => target.startsWith(path))
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
}

/** Tables of pages are damaged in the middle, the first page is not. */
async function damage(path: string, share = 1): Promise<void> {
  const file = await open(join(path, 'log.sqlite'), 'r+')
  const { size } = await file.stat()
  const length = Math.floor(((size - 4096) * share) / 4096) * 4096
  await file.write(new Uint8Array(length).fill(0xa5), 0, length, Math.floor((size - length) / 8192) * 4096)
  await file.close()
}

describe.each(sqliteEngines)('a journal in %s', (_, openSql) => {
  it('waits for a file that cannot be opened for a moment', async () => {
    const path = scratch.next()
    let refusals = 2
    const busy: OpenSql = (file) => openSql(refusals-- > 0 ? join(path, 'none', 'log.sqlite') : file)
    const journal = await openSqliteJournal(path, { openSql: busy, createIfMissing: true })
    expect(refusals).toBeLessThan(0)
    // A reader has a connection of its own.
    refusals = 3
    const snapshot = await journal.snapshot()
    await fill(journal, 2)
    expect(refusals).toBeLessThan(0)
    await snapshot.close()
    expect(await journal.head()).toBe(2)
    await journal.close()
  })

  const shapes: Readonly<Record<string, SqliteJournalOptions>> = {
    'as it comes': {},
    'that copies its write-ahead log after every commit': { checkpointBytes: 0 },
  }

  it.each(['SQLITE_FULL', 'SQLITE_BUSY'])('goes on when a purge meets %s, and purges later', async (code) => {
    let failing = true
    const limited: OpenSql = (file) => {
      const db = openSql(file)
      return {
        exec(sql) {
          if (sql === 'VACUUM' && failing) throw Object.assign(new Error('Not now.'), { code })
          db.exec(sql)
        },
        prepare: (sql) => db.prepare(sql),
        close: () => db.close(),
      }
    }
    const journal = await opened(scratch.next(), { openSql: limited })
    await fill(journal, 2)
    expect(await journal.purge?.([bytes(1, 0, 1)])).toBe(false)
    await fill(journal, 1)
    failing = false
    expect(await journal.purge?.([bytes(1, 0, 1)])).toBe(true)
    expect(await journal.get(bytes(1, 0, 1))).toBeUndefined()
    expect(await journal.head()).toBe(3)
  })

  it('leaves nothing of purged rows in the files, once no reader holds an older state', async () => {
    const path = scratch.next()
    const journal = await opened(path, { openSql })
    const isSecret = (i: number): boolean => i % 3 > 0
    const rows = Array.from({ length: 400 }, (_each, i) => ({
      key: bytes(7, i >> 8, (i * 37) & 255, i & 255),
      value: Buffer.from(`${isSecret(i) ? 'secret' : 'kept'}-${i}-`.repeat(1 + (i % 90))),
    }))
    const isThere = async () => {
      const files = await Promise.all((await readdir(path)).map((name) => readFile(join(path, name))))
      return files.some((file) => file.includes('secret-'))
    }
    // Rows that arrive one by one between others make SQLite move them from page to page.
    for (const row of rows) await journal.commit({ events: [], rows: [row] })
    const other = { key: bytes(8), value: bytes(1) }
    await journal.commit({ expectedHead: 0, events: [bytes(1)], rows: [other] })
    const keys = rows.filter((_each, i) => isSecret(i)).map(({ key }) => key)
    const snapshot = await journal.snapshot()

    expect(await journal.purge?.(keys)).toBe(false)
    expect(await snapshot.get(keys[0] as Uint8Array)).toEqual(new Uint8Array(rows[1]?.value ?? []))
    expect(await isThere()).toBe(true)
    await snapshot.close()
    const next = { expectedHead: 1, events: [bytes(2)], rows: [] }
    const [purged] = await Promise.all([journal.purge?.(keys), journal.commit(next)])

    expect(purged).toBe(true)
    expect(await journal.get(keys[0] as Uint8Array)).toBeUndefined()
    expect(await journal.get(other.key)).toEqual(other.value)
    expect(await journal.head()).toBe(2)
    expect(await isThere()).toBe(false)
    await journal.close()
    expect(await (await opened(path, { openSql })).head()).toBe(2)
    expect(await isThere()).toBe(false)
  })

  describe.each(Object.entries(shapes))('%s', (_name, options) => {
    const openFresh = async () => {
      const path = scratch.next()
      const reopen = () => openSqliteJournal(path, { ...options, openSql, createIfMissing: true })
      return { instance: await reopen(), reopen }
    }
    for (const { name, run } of journalContract) it(name, () => run(openFresh))
    for (const { name, run } of twoEngines) it(name, () => run(openFresh))
  })

  if (process.platform !== 'linux') console.log('Skipped: there is no /proc, which tells what files are open.')
  it.skipIf(process.platform !== 'linux')('keeps no file open once it is closed', async () => {
    const path = await directory()
    const journal = await openSqliteJournal(path, { openSql, createIfMissing: true })
    await fill(journal, 3)
    await journal.close()
    // libsql lets go when its statements are collected, which takes a moment.
    await expect.poll(() => openFilesIn(path), { timeout: 5000 }).toEqual([])
    await expect(journal.head()).rejects.toMatchObject({ code: 'JournalClosed' })
  })

  it('creates nothing by default where there is no database', async () => {
    const path = await directory()
    const opening = () => openSqliteJournal(path, { openSql })
    await expect(opening()).rejects.toMatchObject({ code: 'LogCorrupt', details: { kind: 'missing' } })
    expect(await readdir(path)).toEqual([])
    await writeFile(join(path, 'log.sqlite'), '')
    await expect(opening()).rejects.toMatchObject({ code: 'LogCorrupt', details: { kind: 'missing' } })
  })

  it('calls a file that is no database damage', async () => {
    const path = await directory()
    await writeFile(join(path, 'log.sqlite'), 'paper and ink '.repeat(1000))
    const opening = openSqliteJournal(path, { openSql })
    await expect(opening).rejects.toMatchObject({ code: 'LogCorrupt', details: { kind: 'damaged' } })
  })

  it('has every acknowledged commit when the write-ahead log was never checkpointed', async () => {
    const path = await directory()
    await fill(await opened(path, { openSql, checkpointBytes: 1e9 }), 20)
    const copy = await directory()
    for (const name of ['log.sqlite', 'log.sqlite-wal'])
      await writeFile(join(copy, name), await readFile(join(path, name)))
    const again = await opened(copy, { openSql, createIfMissing: false })
    expect(await again.head()).toBe(20)
    expect(await again.get(bytes(1, 0, 19))).toEqual(bytes(19))
  })

  it('leaves nothing in the write-ahead log when it is closed, with readers that were never closed', async () => {
    const path = await directory()
    const journal = await opened(path, { openSql })
    await fill(journal, 3)
    const [cursor, snapshot] = [journal.cursor(everything), await journal.snapshot()]
    await fill(journal, 3)
    await journal.close()
    expect(await walSize(path)).toBe(0)
    await Promise.all([cursor.close(), snapshot.close()])
    expect(await (await opened(path, { openSql })).head()).toBe(6)
  })

  it('keeps its write-ahead log short, but while a reader needs it', async () => {
    const path = await directory()
    const journal = await opened(path, { openSql, checkpointBytes: 64 * 1024 })
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    const fillInTurns = async () => {
      for (let i = 0; i < 40; i++) await fill(journal, 1, 20_000).then(turn)
    }
    await fillInTurns()
    expect(await walSize(path)).toBeLessThan(400_000)
    const snapshot = await journal.snapshot()
    await fillInTurns()
    expect(await walSize(path)).toBeGreaterThan(800_000)
    expect((await snapshot.cursor(everything).next(1000)).length).toBeLessThanOrEqual(40)
    expect(await snapshot.get(bytes(1, 0, 40))).toBeUndefined()
    await snapshot.close()
    const before = await walSize(path)
    await fillInTurns()
    expect(await walSize(path)).toBeLessThanOrEqual(before + 400_000)
  })

  it('takes no further commit after a full disk, and has those before', async () => {
    const path = await directory()
    const small: OpenSql = (file) => {
      const db = openSql(file)
      db.prepare('PRAGMA max_page_count = 40').get()
      return db
    }
    const journal = await opened(path, { openSql: small })
    await fill(journal, 4)
    const full = journal.commit(commitOf(4, 1_000_000))
    await expect(full).rejects.toMatchObject({ code: 'JournalFailed', details: { kind: 'SQLITE_FULL' } })
    await expect(journal.commit(commitOf(4))).rejects.toMatchObject({ code: 'JournalFailed' })
    expect(await journal.get(bytes(1, 0, 3))).toEqual(bytes(3))
    await journal.close()
    const again = await opened(path, { openSql })
    expect(await again.head()).toBe(4)
    await fill(again, 1, 1_000_000)
  })

  it('does not go on when a COMMIT fails, whatever became of it', async () => {
    const path = await directory()
    let failing = false
    const broken: OpenSql = (file) => {
      const db = openSql(file)
      const prepare = (sql: string) => {
        const statement = db.prepare(sql)
        if (sql !== 'COMMIT') return statement
        const run = () => {
          if (failing) throw Object.assign(new Error('The medium fails.'), { code: 'SQLITE_IOERR_FSYNC' })
          statement.run()
        }
        return { ...statement, run }
      }
      return { ...db, prepare }
    }
    const journal = await opened(path, { openSql: broken })
    await fill(journal, 2)
    failing = true
    const details = { kind: 'SQLITE_IOERR_FSYNC' }
    await expect(journal.commit(commitOf(2))).rejects.toMatchObject({ code: 'JournalFailed', details })
    failing = false
    await expect(journal.commit(commitOf(2))).rejects.toMatchObject({ code: 'JournalFailed' })
    expect(await journal.head()).toBe(2)
    expect(await journal.get(bytes(1, 0, 2))).toBeUndefined()
  })

  it('reports what it cannot read, and then takes no more commits', async () => {
    const path = await directory()
    const filled = await opened(path, { openSql })
    await fill(filled, 300, 500)
    await filled.close()
    await damage(path)
    const outcome = await openSqliteJournal(path, { openSql }).then(
      async (journal) => {
        closedAfterwards(journal)
        const error: unknown = await journal
          .cursor(everything)
          .next(1000)
          .catch((caught: unknown) => caught)
        expect(isStorageError(error, 'JournalFailed')).toBe(true)
        await expect(journal.commit(commitOf(300))).rejects.toMatchObject({ code: 'JournalFailed' })
        return 'read'
      },
      (error: unknown) => {
        expect(isStorageError(error, 'LogCorrupt', 'JournalFailed')).toBe(true)
        return 'opened'
      },
    )
    expect(['read', 'opened']).toContain(outcome)
  })

  it('is rescued as far as it can be read', async () => {
    const path = await directory()
    const filled = await opened(path, { openSql })
    await fill(filled, 400, 500)
    await filled.close()
    await damage(path, 0.1)
    await rescueSqlite(path)
    const journal = await opened(path, { openSql, createIfMissing: false })
    const events: number[] = []
    for await (const { seq, bytes: stored } of journal.events()) {
      expect(stored).toEqual(bytes(seq - 1))
      events.push(seq)
    }
    const rows = await journal.cursor(everything).next(1000)
    expect(rows.length).toBeGreaterThan(100)
    expect(rows.length).toBeLessThan(400)
    expect(events.length).toBeGreaterThan(100)
  })

  it('cannot be rescued when nothing of it can be read', async () => {
    const path = await directory()
    await (await opened(path, { openSql })).close()
    await truncate(join(path, 'log.sqlite'), 100)
    await expect(rescueSqlite(path)).rejects.toMatchObject({ code: 'LogCorrupt' })
    await rm(path, { recursive: true })
  })
})
