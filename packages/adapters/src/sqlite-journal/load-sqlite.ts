import { libsql } from './libsql.ts'
import { nodeSqlite } from './node-sqlite.ts'
import type { OpenSql } from './sql-database.ts'

/**
 * @throws StorageError `UnsupportedFormat` (`details.kind` is `package`) where Node has no SQLite and libsql is not
 * installed.
 */
export const loadSqlite = async (): Promise<OpenSql> => nodeSqlite() ?? libsql()
