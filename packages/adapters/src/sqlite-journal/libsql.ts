/** SQLite from the package libsql, for a Node without SQLite. */
import { optionalPackage } from '../journal-kit/optional-package.ts'
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

/** @throws StorageError `UnsupportedFormat` (`details.kind` is `package`) when libsql is not installed. */
export async function libsql(): Promise<OpenSql> {
  const { default: Database } = await optionalPackage(
    'libsql',
    async () => (await import('libsql')) as unknown as Libsql,
  )
  return (path) => {
    const db = new Database(path)
    // A connection keeps its files open until its statements are garbage-collected, so closing it drops all references
    // to them.
    const statements: LibsqlStatement[] = []
    return {
      exec: (sql) => db.exec(sql),
      prepare(sql) {
        const at = statements.push(db.prepare(sql)) - 1
        return statement(() => statements[at])
      },
      close() {
        statements.length = 0
        db.close()
      },
    }
  }
}

function statement(held: () => LibsqlStatement | undefined): SqlStatement {
  const prepared = (): LibsqlStatement => {
    const found = held()
    if (found === undefined) throw new Error('The database is closed.')
    return found
  }
  // Blobs arrive as a Buffer in raw mode and as a bare ArrayBuffer otherwise. A statement keeps the mode that was set.
  let isRaw = false
  const reading = (): LibsqlStatement => {
    const found = prepared()
    if (!isRaw) found.raw()
    isRaw = true
    return found
  }
  return {
    run: (...values) => void prepared().run(values),
    get: (...values) => reading().get(values),
    all: (...values) => reading().all(values),
  }
}
