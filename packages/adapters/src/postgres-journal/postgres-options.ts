/** The options of a journal in PostgreSQL, and of the connections to its database. */
import { schema as checks } from '@varve/core'

/** Where the database is. */
export interface PostgresAddress {
  /** The address of the primary: `postgres://user@host/database`. @default the environment: PGHOST, PGUSER, ... */
  readonly connectionString?: string
  /** Further options of the connections, as the package `pg` has them: `host`, `user`, `password`, `ssl`, ... An address says how TLS is used, or `ssl` does. */
  readonly connection?: Readonly<Record<string, unknown>>
  /** The schema that holds the store: letters, digits and underscores. Several stores can share a database. @default varve */
  readonly schema?: string
  /** How many events the log has in each of its parts: at least 1000. It counts where the tables are made. @default 10000000 */
  readonly partEvents?: number
}

/** Where the database is, and how the journal uses it. */
export interface PostgresJournalOptions extends PostgresAddress {
  /** Create the tables if the schema is empty or missing. @default true */
  readonly create?: boolean
  /** Only read: commits fail with `ReadOnly`, and the role needs no right but to read the tables. @default false */
  readonly readOnly?: boolean
  /** The most connections for commits and for reads beside snapshots. @default 4 */
  readonly connections?: number
  /** The most snapshots at once. Each one needs a connection of its own. @default 8 */
  readonly snapshots?: number
  /** How long to wait for a free connection, and for a server that does not answer, in milliseconds. @default 30000 */
  readonly waitMs?: number
  /** Accept a server that can lose acknowledged commits, such as one with `fsync = off`. @default false */
  readonly allowLoss?: boolean
}

const atLeastOne = checks.integer({ min: 1 })

const addressFields = {
  connectionString: checks.optional(checks.text()),
  connection: checks.optional(checks.implementing<Readonly<Record<string, unknown>>>('an object of options', [])),
  schema: checks.optional(checks.text()),
  partEvents: checks.optional(checks.integer({ min: 1000 })),
}

export const journalOptions = checks.object<PostgresJournalOptions>({
  ...addressFields,
  create: checks.optional(checks.boolean),
  readOnly: checks.optional(checks.boolean),
  connections: checks.optional(atLeastOne),
  snapshots: checks.optional(atLeastOne),
  waitMs: checks.optional(atLeastOne),
  allowLoss: checks.optional(checks.boolean),
})
