/**
 * Leaves nothing of removed rows in the files of SQLite. Its `secure_delete` would overwrite the place of a row, but not
 * the copies that stay in the unused space of a page after SQLite has moved rows to other pages. So the whole database
 * is written anew, and the write-ahead log is emptied.
 */
import { errnoOf } from '../files/errno.ts'
import type { SqlDatabase } from './sql-database.ts'

/** Somebody else uses the database, or there is no room for a copy of it. The database is as it was. */
const later = new Set(['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_FULL'])

/** False if it has to be tried again later. Blocks the thread for as long as it takes to copy the database. */
export function rewriteDatabase(db: SqlDatabase): boolean {
  try {
    db.exec('VACUUM')
    const [busy] = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? []
    return busy === 0
  } catch (error) {
    // Some names have a longer form: SQLITE_BUSY_SNAPSHOT.
    if (later.has(errnoOf(error).split('_').slice(0, 2).join('_'))) return false
    throw error
  }
}
