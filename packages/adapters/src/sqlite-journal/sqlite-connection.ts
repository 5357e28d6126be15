/** A connection to a journal's database, set up as all of them are, and what its failures mean. */
import { isStorageError, StorageError } from '@varve/core'
import { levelCode } from '../journal-kit/journal-gate.ts'
import type { OpenSql, SqlDatabase } from './sql-database.ts'

/** A write-ahead log that grew for a reader is cut down to this when it is used anew. */
const walBytesKept = 64 * 1024 * 1024

/** WAL with FULL syncs every commit; NORMAL would lose the last ones with the power. */
const settings = [
  'PRAGMA synchronous = FULL',
  // On macOS, this is what fsync means elsewhere.
  'PRAGMA fullfsync = 1',
  'PRAGMA checkpoint_fullfsync = 1',
  'PRAGMA cell_size_check = ON',
  'PRAGMA trusted_schema = OFF',
]

export function connect(openSql: OpenSql, path: string): SqlDatabase {
  const db = openSql(path)
  try {
    for (const setting of settings) db.exec(setting)
    // These return rows, which some drivers report as an error.
    db.prepare('PRAGMA journal_mode = WAL').get()
    db.prepare(`PRAGMA journal_size_limit = ${walBytesKept}`).get()
    // The write-ahead log is copied while no commit waits for it.
    db.prepare('PRAGMA wal_autocheckpoint = 0').get()
    return db
  } catch (error) {
    closeQuietly(db)
    throw error
  }
}

/** All of them or none; those that are there stay. */
export function createTables(db: SqlDatabase): void {
  db.exec(`
    BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS event (seq INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS row (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    COMMIT
  `)
}

export function hasTables(db: SqlDatabase): boolean {
  const [count] = db.prepare("SELECT count(*) FROM sqlite_schema WHERE name IN ('event', 'row')").get() ?? []
  return count === 2
}

/** For use when there is an error to report already. */
export function closeQuietly(db: SqlDatabase | undefined): void {
  try {
    db?.close()
  } catch {
    // The first error is reported.
  }
}

const damage = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB'])
const lock = new Set(['SQLITE_BUSY', 'SQLITE_LOCKED'])

/** What it means that a database could not be opened. */
export function sqliteFailure(error: unknown): StorageError {
  const cause = isStorageError(error, 'JournalFailed') ? error.cause : error
  if (isStorageError(cause)) return cause
  const message = cause instanceof Error ? cause.message : String(cause)
  const kind = levelCode(cause)
  // Some names are longer: SQLITE_IOERR_READ.
  const primary = kind.split('_').slice(0, 2).join('_')
  if (lock.has(primary)) return new StorageError('StoreLocked', 'Somebody else has the log open.', { cause })
  if (primary === 'SQLITE_FULL') return new StorageError('NoSpace', 'There is no room to open the log.', { cause })
  if (damage.has(primary)) {
    return new StorageError('LogCorrupt', `The log is damaged: ${message}`, { details: { kind: 'damaged' }, cause })
  }
  return new StorageError('JournalFailed', `The log cannot be opened: ${message}`, { details: { kind }, cause })
}
