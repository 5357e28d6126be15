/** The journal `sqlite`: log, rows and small bytes in one SQLite database. */
import { join } from 'node:path'
import { type Journal, StorageError } from '@varve/core'
import { namesIn } from '../blobs/readable-blobs.ts'
import { createDirectories } from '../files/durable-files.ts'
import { onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { journalGate } from '../journal-kit/journal-gate.ts'
import { stateJournal } from '../row-states/state-journal.ts'
import { loadSqlite } from './load-sqlite.ts'
import { assertNoTransactionLost } from './lost-transactions.ts'
import type { OpenSql, SqlDatabase } from './sql-database.ts'
import {
  closeQuietly,
  connectAtOnce,
  connectPatiently,
  createTables,
  hasTables,
  sqliteFailure,
} from './sqlite-connection.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { sqliteFile } from './sqlite-files.ts'

export interface SqliteJournalOptions {
  /** Make a log if there is none. Never for a store that has answered a request. @default false */
  readonly createIfMissing?: boolean
  /** The approximate size of the write-ahead log, in bytes, at which it is copied into the database. @default 8 MiB */
  readonly checkpointBytes?: number
  /** Finds and reads the file. @default node:fs */
  readonly fs?: FileSystem
  /** @default the SQLite of Node, otherwise libsql */
  readonly openSql?: OpenSql
}

/**
 * The caller must own the directory by another lock first.
 * @throws StorageError `LogCorrupt` when the log is missing (`details.kind` is `missing`) or damaged (`damaged`);
 * `AcknowledgedWritesLost` when its write-ahead log is damaged where SQLite would take it to end; `UnsupportedFormat`
 * when there is no SQLite (`package`); `StoreLocked` when another process writes to the database; `NoSpace`,
 * `JournalFailed` when the medium fails.
 */
export async function openSqliteJournal(directory: string, options: SqliteJournalOptions = {}): Promise<Journal> {
  const { createIfMissing = false, checkpointBytes = 8 * 1024 * 1024, fs = nodeFileSystem } = options
  const openSql = options.openSql ?? (await loadSqlite())
  const path = join(directory, sqliteFile)
  await onMedium('JournalFailed', 'Opening the log', async () => {
    if (createIfMissing) await createDirectories(fs, directory)
    else if (!(await namesIn(fs, directory)).includes(sqliteFile)) throw missing()
    await assertNoTransactionLost(fs, path)
  })
  const gate = journalGate()
  let db: SqlDatabase | undefined
  try {
    db = await connectPatiently(openSql, path, (opened) => {
      emptyLog(opened)
      if (createIfMissing) createTables(opened)
    })
    if (!hasTables(db)) throw missing()
    const database = new SqliteDatabase(db, {
      connect: () => connectAtOnce(openSql, path),
      checkpointBytes,
      onFailure: (cause) => void gate.fail(cause),
    })
    return await stateJournal(database, gate)
  } catch (error) {
    closeQuietly(db)
    throw sqliteFailure(error)
  }
}

/** Empties the write-ahead log: the remains of a crash after its end must not mix with new frames. */
function emptyLog(db: SqlDatabase): void {
  try {
    db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
  } catch (error) {
    // There is no space to copy it. The log stays as it is, complete.
    if (sqliteFailure(error).code !== 'NoSpace') throw error
  }
}

const missing = (): StorageError =>
  new StorageError('LogCorrupt', 'The log is missing.', { details: { kind: 'missing' } })
