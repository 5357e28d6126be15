/**
 * A journal's database in SQLite. One connection writes, and reads the newest state. A state that a reader holds is a
 * read transaction on a connection of its own.
 *
 * Every commit is one transaction, and SQLite syncs its frames in the write-ahead log before COMMIT returns.
 * Checkpoints copy the frames into the database, except those that a reader still needs in the log: a long reader makes
 * the write-ahead log grow by what is written meanwhile.
 */
import type { Commit, Seq } from '@varve/core'
import { closeAll } from '../files/close-all.ts'
import { type HeldState, heldState } from '../row-states/row-state.ts'
import type { StateDatabase } from '../row-states/state-journal.ts'
import type { SqlDatabase, SqlStatement } from './sql-database.ts'
import { rewriteDatabase } from './rewrite-database.ts'
import { SqlEvents, SqlRows } from './sql-rows.ts'

export interface SqliteDatabaseOptions {
  /** Opens another connection to the same file. */
  readonly connect: () => SqlDatabase
  /** A checkpoint runs when the write-ahead log has grown by about this many bytes. */
  readonly checkpointBytes: number
  /** Called with the error of a failed checkpoint. */
  readonly onFailure: (cause: unknown) => void
}

/** The most idle connections that are kept for later readers. */
const idleMax = 4
/** The bytes that a changed row or event adds to the write-ahead log beside its own: usually a page. */
const changeBytes = 4096

interface Writing {
  readonly begin: SqlStatement
  readonly commit: SqlStatement
  readonly addEvent: SqlStatement
  readonly put: SqlStatement
  readonly remove: SqlStatement
}

export class SqliteDatabase implements StateDatabase {
  readonly newest: SqlRows
  readonly events: StateDatabase['events']
  readonly #db: SqlDatabase
  readonly #log: SqlEvents
  readonly #writing: Writing
  readonly #options: SqliteDatabaseOptions
  readonly #idle: Reading[] = []
  /** The states that readers hold. */
  #kept = 0
  #written = 0
  #checkpoint: NodeJS.Immediate | undefined

  constructor(db: SqlDatabase, options: SqliteDatabaseOptions) {
    this.#db = db
    this.#options = options
    this.#log = new SqlEvents(db)
    this.newest = new SqlRows(db)
    this.events = (from, to) => this.#log.page(from, to)
    this.#writing = {
      begin: db.prepare('BEGIN IMMEDIATE'),
      commit: db.prepare('COMMIT'),
      addEvent: db.prepare('INSERT INTO event (seq, bytes) VALUES (?, ?)'),
      put: db.prepare('INSERT OR REPLACE INTO row (key, value) VALUES (?, ?)'),
      remove: db.prepare('DELETE FROM row WHERE key = ?'),
    }
  }

  head(): Seq {
    return this.#log.head()
  }

  keep(): HeldState {
    const reading = this.#idle.pop() ?? new Reading(this.#options.connect())
    reading.begin()
    this.#kept++
    return heldState(
      () => reading.rows,
      () => {
        this.#kept--
        reading.end()
        if (this.#idle.length < idleMax) this.#idle.push(reading)
        else reading.close()
      },
    )
  }

  async write(commits: readonly Commit[], head: Seq): Promise<void> {
    this.#inTransaction(() => {
      let seq = head
      for (const each of commits) seq = this.#apply(each, seq)
    })
    if (this.#written > this.#options.checkpointBytes) this.#checkpointSoon()
  }

  async rewrite(): Promise<boolean> {
    return this.#kept === 0 && rewriteDatabase(this.#db)
  }

  async close(): Promise<void> {
    clearImmediate(this.#checkpoint)
    await closeAll([
      ...this.#idle.splice(0).map((reading) => () => reading.close()),
      // libsql keeps a closed connection until its statements are collected, so the last checkpoint runs here.
      () => this.#db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get(),
      () => this.#db.close(),
    ])
  }

  #inTransaction(work: () => void): void {
    const { begin, commit } = this.#writing
    begin.run()
    try {
      work()
      commit.run()
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  #apply({ events, rows }: Commit, head: Seq): Seq {
    const { addEvent, put, remove } = this.#writing
    let seq = head
    for (const bytes of events) {
      addEvent.run(++seq, bytes)
      this.#written += changeBytes + bytes.length
    }
    for (const { key, value } of rows) {
      if (value === null) remove.run(key)
      else put.run(key, value)
      this.#written += changeBytes + (value?.length ?? 0)
    }
    return seq
  }

  #rollBack(): void {
    try {
      this.#db.exec('ROLLBACK')
    } catch {
      // SQLite has rolled back itself, or cannot: in both cases the journal takes no more commits.
    }
  }

  /** Runs a checkpoint after the commit that made it necessary was answered. */
  #checkpointSoon(): void {
    this.#checkpoint ??= setImmediate(() => {
      this.#checkpoint = undefined
      this.#written = 0
      try {
        this.#db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()
      } catch (error) {
        this.#options.onFailure(error)
      }
    })
  }
}

/** A connection for readers, of one state at a time. */
class Reading {
  readonly rows: SqlRows
  readonly #db: SqlDatabase
  readonly #begin: SqlStatement
  readonly #first: SqlStatement
  readonly #end: SqlStatement

  constructor(db: SqlDatabase) {
    this.#db = db
    this.rows = new SqlRows(db)
    this.#begin = db.prepare('BEGIN')
    this.#first = db.prepare('SELECT 1 FROM row LIMIT 1')
    this.#end = db.prepare('COMMIT')
  }

  /** A transaction sees the state of its first read, so this makes a read. */
  begin(): void {
    this.#begin.run()
    this.#first.get()
  }

  end(): void {
    this.#end.run()
  }

  close(): void {
    this.#db.close()
  }
}
