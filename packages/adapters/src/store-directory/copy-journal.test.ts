import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openLevelDirectory } from '../level-journal/open-level-directory.ts'
import { levelDatabaseFiles } from '../level-files/level-database-files.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { sqliteFiles } from '../sqlite-journal/sqlite-files.ts'
import { copyJournal } from './copy-journal.ts'

const scratch = scratchDirectory()

it('shares tables in force with what it copies, and nothing that opening the copy may write', async () => {
  const events = scratch.next()
  // Each opening makes a table of what the log before it held.
  for (let life = 0; life < 3; life++) {
    const db = await openLevelDirectory(events, { createIfMissing: true })
    const batch = db.batch()
    batch.put(Uint8Array.of(life), Uint8Array.of(1))
    await batch.write({ sync: true })
    await db.close()
  }
  const names = await readdir(events)
  const tables = names.filter((name) => name.endsWith('.ldb'))
  expect(tables).not.toEqual([])
  // What a compaction was making when it was closed: their numbers are free to LevelDB.
  const newest = Math.max(...names.filter((name) => /\d/.test(name)).map((name) => Number(/\d+/.exec(name)?.[0])))
  const unfinished = [1, 2, 3, 4].map((ahead) => `${String(newest + ahead).padStart(6, '0')}.ldb`)
  for (const name of unfinished) await writeFile(join(events, name), 'unfinished')

  const { path, remove } = await copyJournal(
    { events, database: events, databaseFiles: levelDatabaseFiles },
    scratch.next(),
  )
  const sameFile = async (name: string) => (await stat(join(events, name))).ino === (await stat(join(path, name))).ino
  for (const name of tables) expect(await sameFile(name), name).toBe(true)
  for (const name of unfinished) expect(await sameFile(name), name).toBe(false)
  await (await openLevelDirectory(path, { createIfMissing: false })).close()
  for (const name of unfinished) expect(await readFile(join(events, name), 'utf8')).toBe('unfinished')
  await remove()
})

/** A database whose write-ahead log goes after it was listed. */
async function goingDatabase() {
  const events = scratch.next()
  const wal = join(events, 'log.sqlite-wal')
  await mkdir(events)
  await writeFile(join(events, 'log.sqlite'), 'rows')
  await writeFile(wal, 'going')
  const lasting = async () => {
    await rm(wal, { force: true })
    return new Set<string>()
  }
  return { events, database: events, databaseFiles: { ...sqliteFiles, lasting } }
}

it('copies what is left when a file goes that it has listed', async () => {
  const { path } = await copyJournal(await goingDatabase(), scratch.next())
  expect(await readdir(path)).toEqual(['log.sqlite'])
})

it('makes files that can be written, also of files that cannot', async () => {
  const events = scratch.next()
  await mkdir(events)
  await writeFile(join(events, 'log.sqlite'), 'rows', { mode: 0o444 })
  const { path } = await copyJournal({ events, database: events, databaseFiles: sqliteFiles }, scratch.next())
  expect((await stat(join(path, 'log.sqlite'))).mode & 0o777).toBe(0o600)
})
