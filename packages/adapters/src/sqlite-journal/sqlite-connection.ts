/** Opens a connection to a journal's database with the common settings, and translates its errors. */
import { isStorageError, StorageError } from '@varve/core'
import { errnoOf } from '../files/errno.ts'
import { patiently } from '../files/patience.ts'
import type { OpenSql, SqlDatabase } from './sql-database.ts'

/** A write-ahead log that grew because of a reader is truncated to this size when it is restarted. */
const walBytesKept = 64 * 1024 * 1024

/** WAL with FULL syncs every commit; with NORMAL a power cut would lose the last commits. */
const settings = [
  'PRAGMA synchronous = FULL',
  // On macOS, only this does what fsync does elsewhere.
  'PRAGMA fullfsync = 1',
  'PRAGMA checkpoint_fullfsync = 1',
  'PRAGMA cell_size_check = ON',
  'PRAGMA trusted_schema = OFF',
]

function connect(openSql: OpenSql, path: string): SqlDatabase {
  const db = openSql(path)
  try {
    for (const setting of settings) db.exec(setting)
    // These return rows, which some drivers report as an error.
    db.prepare('PRAGMA journal_mode = WAL').get()
    db.prepare(`PRAGMA journal_size_limit = ${walBytesKept}`).get()
    // Checkpoints run when no commit waits for them.
    db.prepare('PRAGMA wal_autocheckpoint = 0').get()
    return db
  } catch (error) {
    closeQuietly(db)
    throw error
  }
}

/** Connects and prepares also if another program has a file of the database open for a moment. */
export function connectPatiently(
  openSql: OpenSql,
  path: string,
  prepare: (db: SqlDatabase) => void = () => undefined,
): Promise<SqlDatabase> {
  const opened = async () => {
    const db = connect(openSql, path)
    try {
      prepare(db)
      return db
    } catch (error) {
      closeQuietly(db)
      throw error
    }
  }
  return patiently(opened, { codes: unopened, codeOf: primaryOf })()
}

/** What SQLite itself does on Windows: it waits in its calls, and nothing else goes on. */
const blockingPausesMs = [10, 20, 40, 80]

/** Connects where nothing can wait for a promise: a state of the database is kept at once. */
export function connectAtOnce(openSql: OpenSql, path: string): SqlDatabase {
  for (const ms of blockingPausesMs) {
    try {
      return connect(openSql, path)
    } catch (error) {
      if (!unopened.has(primaryOf(error))) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
    }
  }
  return connect(openSql, path)
}

const unopened: ReadonlySet<string> = new Set(['SQLITE_CANTOPEN', 'SQLITE_IOERR'])

/** Some names have a longer form: SQLITE_IOERR_READ. libsql has no name for a file that it cannot open. */
function primaryOf(error: unknown): string {
  const cannotOpen = error instanceof Error && /unable to open (connection|database)/i.test(error.message)
  return cannotOpen ? 'SQLITE_CANTOPEN' : errnoOf(error).split('_').slice(0, 2).join('_')
}

/** Creates all tables in one transaction; existing ones stay. */
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

/** For use when another error will be thrown already. */
export function closeQuietly(db: SqlDatabase | undefined): void {
  try {
    db?.close()
  } catch {
    // The caller throws the first error.
  }
}

const damage = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB'])
const lock = new Set(['SQLITE_BUSY', 'SQLITE_LOCKED'])

/** The StorageError for a database that could not be opened. */
export function sqliteFailure(error: unknown): StorageError {
  const cause = isStorageError(error, 'JournalFailed') ? error.cause : error
  if (isStorageError(cause)) return cause
  const message = cause instanceof Error ? cause.message : String(cause)
  const kind = errnoOf(cause)
  const primary = primaryOf(cause)
  if (lock.has(primary)) return new StorageError('StoreLocked', 'Somebody else has the log open.', { cause })
  if (primary === 'SQLITE_FULL') return new StorageError('NoSpace', 'There is no room to open the log.', { cause })
  if (damage.has(primary)) {
    return new StorageError('LogCorrupt', `The log is damaged: ${message}`, { details: { kind: 'damaged' }, cause })
  }
  return new StorageError('JournalFailed', `The log cannot be opened: ${message}`, { details: { kind }, cause })
}
