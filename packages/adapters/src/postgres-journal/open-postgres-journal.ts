/** Opens a journal in a schema of a PostgreSQL database, which engines on several machines can share. */
import { schema as checks } from '@varve/core'
import { journalGate } from '../journal-kit/journal-gate.ts'
import { Connections } from './connections.ts'
import { openSchema } from './open-schema.ts'
import { loadPg, type Pg, type PgOptions } from './pg-client.ts'
import { postgresFailure } from './postgres-failure.ts'
import { type PostgresJournal, postgresJournal } from './postgres-journal.ts'
import { schemaName } from './schema-name.ts'
import { checkPooling, checkServer, checkStore } from './server-checks.ts'
import { statementsOf } from './statements.ts'
import { tlsFrom } from './tls-files.ts'
import { type TlsFiles, type TlsSettings, tlsSettings } from './tls-settings.ts'

/** Where the database is, and how the journal uses it. */
export interface PostgresJournalOptions {
  /** The address of the primary: `postgres://user@host/database`. @default the environment: PGHOST, PGUSER, ... */
  readonly connectionString?: string
  /** Further options of the connections, as the package `pg` has them: `host`, `user`, `password`, `ssl`, ... An address says how TLS is used, or `ssl` does. */
  readonly connection?: Readonly<Record<string, unknown>>
  /** The schema that holds the store: letters, digits and underscores. Several stores can share a database. @default varve */
  readonly schema?: string
  /** Create the tables if the schema is empty or missing. @default true */
  readonly create?: boolean
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

const journalOptions = checks.object<PostgresJournalOptions>({
  connectionString: checks.optional(checks.text()),
  connection: checks.optional(checks.implementing<Readonly<Record<string, unknown>>>('an object of options', [])),
  schema: checks.optional(checks.text()),
  create: checks.optional(checks.boolean),
  connections: checks.optional(atLeastOne),
  snapshots: checks.optional(atLeastOne),
  waitMs: checks.optional(atLeastOne),
  allowLoss: checks.optional(checks.boolean),
})

/**
 * The caller closes the journal after the stores that use it.
 * @throws StorageError `InvalidArgument`; `StoreNotFound`: the schema has other content, or there is no store and
 * `create` is false; `UnsupportedFormat`: a newer release made the tables (`details.kind` is `newer`), or pg is not
 * installed (`package`); `LogCorrupt`; `TooManyOpenFiles`, `NoSpace`; `JournalFailed`: the server is a standby
 * (`details.kind` is `standby`), read-only (`readOnly`), not durable (`notDurable`), has another isolation level
 * (`isolation`), is behind a pooler in statement mode (`pooling`), does not answer, has standbys that may
 * not have what it shows (`notReplicated`), or refuses a statement (its SQLSTATE); there is no connection with TLS that both sides accept (`tls`).
 */
export async function openPostgresJournal(given: PostgresJournalOptions = {}): Promise<PostgresJournal> {
  const options = checks.checked('options', journalOptions, given)
  const { create = true, allowLoss = false, connections: work = 4, snapshots = 8, waitMs = 30_000 } = options
  const schema = schemaName(options.schema ?? 'varve')
  const connection = connectionOf(options, waitMs)
  const tls = tlsSettings(connection, process.env)
  const pg = await loadPg()
  const statements = statementsOf(schema)
  const settings = poolOptions(pg, connection, tls)
  const connections = new Connections({ openPool: (max) => new pg.Pool({ ...settings, max }), work, snapshots, waitMs })
  try {
    const store = await connections.run(async (client) => {
      await checkServer(client, allowLoss)
      await checkPooling(client)
      return openSchema(client, { schema, statements, create })
    })
    connections.checkEach(checkStore(statements, store))
    // The one of before was not checked.
    await connections.run(async () => undefined)
  } catch (error) {
    await connections.close()
    throw postgresFailure(error, 'Opening the database')
  }
  return postgresJournal({ gate: journalGate(), connections, statements, isDurable: !allowLoss })
}

/** A connection that breaks without a word is noticed by its keep-alive packets. */
const connectionOf = (
  { connectionString, connection }: PostgresJournalOptions,
  waitMs: number,
): Readonly<PgOptions> => ({
  application_name: 'varve',
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  connectionTimeoutMillis: waitMs,
  ...connection,
  ...(connectionString !== undefined && { connectionString }),
})

const poolOptions = (pg: Pg, connection: Readonly<PgOptions>, tls: TlsSettings): Readonly<PgOptions> => ({
  ...connection,
  ssl: tls.ssl,
  ...(tls.connectionString !== undefined && { connectionString: tls.connectionString }),
  ...(tls.sslnegotiation !== undefined && { sslnegotiation: tls.sslnegotiation }),
  ...(tls.files !== undefined && { Client: clientWith(pg, tls.files) }),
})

/** A pool of pg keeps its options. With TLS, each of its connections has the certificates of the moment. */
function clientWith({ Client }: Pg, files: TlsFiles): Pg['Client'] {
  const tlsNow = tlsFrom(files)
  return class extends Client {
    constructor(options: PgOptions) {
      options['ssl'] = tlsNow()
      super(options)
    }
  }
}
