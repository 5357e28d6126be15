/**
 * What the journal needs of SQLite, by shape: `node:sqlite`, libsql, or a faulty one in a test. Every call holds up the
 * thread until it is done. Errors carry SQLite's name for what happened in `code`, such as `SQLITE_FULL`.
 */

export type SqlValue = Uint8Array | number

/** The columns of a row, in order. */
export type SqlRow = readonly unknown[]

export interface SqlStatement {
  run(...values: readonly SqlValue[]): void
  /** The first row. Nothing stays open behind it. */
  get(...values: readonly SqlValue[]): SqlRow | undefined
  all(...values: readonly SqlValue[]): readonly SqlRow[]
}

/** One connection. */
export interface SqlDatabase {
  exec(sql: string): void
  prepare(sql: string): SqlStatement
  close(): void
}

/** Opens the file at a path, or makes it. */
export type OpenSql = (path: string) => SqlDatabase
