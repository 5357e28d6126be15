/**
 * The part of SQLite that the journal needs, by shape: `node:sqlite`, libsql, or a faulty one in a test. Every call
 * blocks the thread until it is done. The `code` of an error is SQLite's name for it, such as `SQLITE_FULL`.
 */

export type SqlValue = Uint8Array | number

/** The columns of a row, in order. */
export type SqlRow = readonly unknown[]

export interface SqlStatement {
  run(...values: readonly SqlValue[]): void
  /** The first row. The statement is reset afterwards. */
  get(...values: readonly SqlValue[]): SqlRow | undefined
  all(...values: readonly SqlValue[]): readonly SqlRow[]
}

/** One connection. */
export interface SqlDatabase {
  exec(sql: string): void
  prepare(sql: string): SqlStatement
  close(): void
}

/** Opens the file at a path, or creates it. */
export type OpenSql = (path: string) => SqlDatabase
