/** Every SQLite this machine has, by name: the journal must keep its promises over each. */
import { libsql } from './libsql.ts'
import { nodeSqlite } from './node-sqlite.ts'
import type { OpenSql } from './sql-database.ts'

const node = nodeSqlite()
if (node === undefined) console.log(`Not tested: node:sqlite, which Node ${process.versions.node} does not have.`)

export const sqliteEngines: readonly (readonly [name: string, openSql: OpenSql])[] = [
  ...(node === undefined ? [] : [['node:sqlite', node] as const]),
  ['libsql', await libsql()],
]
