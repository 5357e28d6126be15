/** Opens a journal in a schema of a PostgreSQL database, which engines on several machines can share. */
import { schema as checks } from '@varve/core'
import { journalGate } from '../journal-kit/journal-gate.ts'
import { Connections } from './connections.ts'
import { defaultPartEvents } from './log-parts.ts'
import { openSchema } from './open-schema.ts'
import { loadPg } from './pg-client.ts'
import { poolsOf } from './pools.ts'
import { postgresFailure } from './postgres-failure.ts'
import { type PostgresJournal, postgresJournal } from './postgres-journal.ts'
import { journalOptions, type PostgresJournalOptions } from './postgres-options.ts'
import { readOnlyJournal } from './read-only-journal.ts'
import { schemaName } from './schema-name.ts'
import { checkPooling, checkServer, checkStore } from './server-checks.ts'
import { statementsOf } from './statements.ts'

/**
 * The caller closes the journal after the stores that use it.
 * @throws StorageError `InvalidArgument`; `StoreNotFound`: the schema has other content, or there is no store and
 * `create` is false; `UnsupportedFormat`: a newer release made the tables (`details.kind` is `newer`), or pg is not
 * installed (`package`); `LogCorrupt`; `TooManyOpenFiles`, `NoSpace`; `JournalFailed`: the server is a standby
 * (`details.kind` is `standby`), read-only (`readOnly`), not durable (`notDurable`), has another isolation level
 * (`isolation`), gives the role too few rights (`rights`), is behind a pooler in statement mode (`pooling`), does not answer, has standbys that may
 * not have what it shows (`notReplicated`), or refuses a statement (its SQLSTATE); there is no connection with TLS that both sides accept (`tls`).
 */
export async function openPostgresJournal(given: PostgresJournalOptions = {}): Promise<PostgresJournal> {
  const options = checks.checked('options', journalOptions, given)
  const { create = true, readOnly = false, partEvents = defaultPartEvents, allowLoss = false } = options
  const { connections: work = 4, snapshots = 8, waitMs = 30_000 } = options
  const schema = schemaName(options.schema ?? 'varve')
  const openingPools = poolsOf(options, waitMs)
  const openPool = openingPools(await loadPg())
  const statements = statementsOf(schema)
  const connections = new Connections({ openPool, work, snapshots, waitMs })
  try {
    const store = await connections.run(async (client) => {
      await checkServer(client, allowLoss)
      await checkPooling(client)
      return openSchema(client, { schema, statements, create, readOnly, partEvents })
    })
    connections.checkEach(checkStore(statements, store))
    // The one of before was not checked.
    await connections.run(async () => undefined)
  } catch (error) {
    await connections.close()
    throw postgresFailure(error, 'Opening the database')
  }
  const journal = postgresJournal({ gate: journalGate(), connections, statements, isDurable: !allowLoss })
  return readOnly ? readOnlyJournal(journal) : journal
}
