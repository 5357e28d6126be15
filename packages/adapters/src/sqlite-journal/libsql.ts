/** SQLite from the package libsql, where Node brings none along. */
import { optionalPackage } from '../layouts/optional-package.ts'
import type { OpenSql, SqlRow, SqlStatement, SqlValue } from './sql-database.ts'

interface LibsqlStatement {
  raw(): LibsqlStatement
  run(values: readonly SqlValue[]): unknown
  get(values: readonly SqlValue[]): SqlRow | undefined
  all(values: readonly SqlValue[]): readonly SqlRow[]
}

interface Libsql {
  readonly default: new (
    path: string,
  ) => {
    exec(sql: string): void
    prepare(sql: string): LibsqlStatement
    close(): void
  }
}

/** @throws StorageError `UnsupportedFormat` (`details.kind` is `package`) when it is not installed. */
export async function libsql(): Promise<OpenSql> {
  const { default: Database } = await optionalPackage(
    'libsql',
    async () => (await import('libsql')) as unknown as Libsql,
  )
  return (path) => {
    const db = new Database(path)
    return {
      exec: (sql) => db.exec(sql),
      prepare: (sql) => statement(db.prepare(sql)),
      close: () => db.close(),
    }
  }
}

function statement(prepared: LibsqlStatement): SqlStatement {
  // Rows are bytes in a Buffer when they are raw, and in a bare ArrayBuffer when they are not.
  let raw: LibsqlStatement | undefined
  const reading = (): LibsqlStatement => (raw ??= prepared.raw())
  return {
    run: (...values) => void prepared.run(values),
    get: (...values) => reading().get(values),
    all: (...values) => reading().all(values),
  }
}
