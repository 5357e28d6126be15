/** SQLite as part of Node, available without a flag since 22.13. */
import type { OpenSql, SqlRow, SqlStatement, SqlValue } from './sql-database.ts'

/** The part of `node:sqlite` that is used; the types of the oldest supported Node do not have it. */
interface NodeSqlite {
  readonly DatabaseSync: new (
    path: string,
  ) => {
    exec(sql: string): void
    prepare(sql: string): NodeStatement
    close(): void
  }
}

interface NodeStatement {
  run(...values: readonly SqlValue[]): unknown
  get(...values: readonly SqlValue[]): Readonly<Record<string, unknown>> | undefined
  all(...values: readonly SqlValue[]): readonly Readonly<Record<string, unknown>>[]
}

/** `undefined` if this Node has no SQLite. */
export function nodeSqlite(): OpenSql | undefined {
  // With this call a missing module is not an error, and bundlers ignore the name.
  const sqlite = process.getBuiltinModule?.('node:sqlite') as unknown as NodeSqlite | undefined
  if (sqlite === undefined) return undefined
  return (path) => {
    const db = named(() => new sqlite.DatabaseSync(path))
    return {
      exec: (sql) => named(() => db.exec(sql)),
      prepare: (sql) => statement(named(() => db.prepare(sql))),
      close: () => named(() => db.close()),
    }
  }
}

function statement(prepared: NodeStatement): SqlStatement {
  return {
    run: (...values) => void named(() => prepared.run(...values)),
    get: (...values) => {
      const row = named(() => prepared.get(...values))
      return row && columns(row)
    },
    all: (...values) => named(() => prepared.all(...values)).map(columns),
  }
}

const columns = (row: Readonly<Record<string, unknown>>): SqlRow => Object.values(row)

/** SQLite's names for the error numbers that concern the medium. */
const names = new Map([
  [5, 'SQLITE_BUSY'],
  [6, 'SQLITE_LOCKED'],
  [7, 'SQLITE_NOMEM'],
  [8, 'SQLITE_READONLY'],
  [10, 'SQLITE_IOERR'],
  [11, 'SQLITE_CORRUPT'],
  [13, 'SQLITE_FULL'],
  [14, 'SQLITE_CANTOPEN'],
  [26, 'SQLITE_NOTADB'],
])

/** Node's code is always `ERR_SQLITE_ERROR`; a number gives the cause. */
function named<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'errcode' in error && typeof error.errcode === 'number') {
      Object.assign(error, { code: names.get(error.errcode & 0xff) ?? `SQLITE_${error.errcode}` })
    }
    throw error
  }
}
