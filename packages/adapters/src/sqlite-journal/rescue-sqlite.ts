/** Rebuilds a database that SQLite cannot open, or cannot read to the end, from what can be read of it. */
import { join } from 'node:path'
import { readableEvents, readableRows } from '../row-states/walk-around-damage.ts'
import { loadSqlite } from './load-sqlite.ts'
import { connectPatiently, createTables, sqliteFailure } from './sqlite-connection.ts'
import type { SqlDatabase } from './sql-database.ts'
import { SqlEvents, SqlRows } from './sql-rows.ts'
import { sqliteFile } from './sqlite-files.ts'
import { mkdir, readdir, rename } from '../files/patient-files.ts'

/**
 * Only for copies: the result must be checked.
 * @throws StorageError `LogCorrupt` when nothing of it can be read.
 */
export async function rescueSqlite(directory: string): Promise<void> {
  const openSql = await loadSqlite()
  const damaged = join(directory, 'damaged')
  await mkdir(damaged)
  for (const name of await readdir(directory)) {
    if (name.startsWith(sqliteFile)) await rename(join(directory, name), join(damaged, name))
  }
  const open: SqlDatabase[] = []
  try {
    const from = await connectPatiently(openSql, join(damaged, sqliteFile))
    open.push(from)
    const into = await connectPatiently(openSql, join(directory, sqliteFile))
    open.push(into)
    createTables(into)
    copy(from, into)
  } catch (error) {
    throw sqliteFailure(error)
  } finally {
    for (const db of open) db.close()
  }
}

function copy(from: SqlDatabase, into: SqlDatabase): void {
  const addEvent = into.prepare('INSERT INTO event (seq, bytes) VALUES (?, ?)')
  // A damaged database can return a row twice.
  const addRow = into.prepare('INSERT OR IGNORE INTO row (key, value) VALUES (?, ?)')
  const [events, rows] = [new SqlEvents(from), new SqlRows(from)]
  into.exec('BEGIN')
  for (const page of readableEvents((first, last) => events.page(first, last))) {
    for (const { seq, bytes } of page) addEvent.run(seq, bytes)
  }
  for (const page of readableRows((range, count) => rows.rows(range, count))) {
    for (const [key, value] of page) addRow.run(key, value)
  }
  into.exec('COMMIT')
}
