/** A server for the tests of one file, and journals that are closed after each test. Call it where hooks may be set. */
import { afterAll, afterEach, beforeAll } from 'vitest'
import { openPostgresJournal } from './open-postgres-journal.ts'
import type { PostgresJournal } from './postgres-journal.ts'
import type { PostgresJournalOptions } from './postgres-options.ts'
import { administrator, type PostgresServer, postgresServer } from './postgres-server.fixture.ts'

type Administrator = Awaited<ReturnType<typeof administrator>>

export function postgresOfTests(settings: Parameters<typeof postgresServer>[0] = {}) {
  let server: PostgresServer | undefined
  let admin: Administrator | undefined
  const journals: PostgresJournal[] = []

  beforeAll(async () => {
    server = await postgresServer(settings)
    admin = await administrator(server)
  }, 60_000)
  afterEach(async () => {
    await Promise.all(journals.splice(0).map((journal) => journal.close()))
  })
  afterAll(async () => {
    await admin?.end()
    await server?.remove()
  })

  return {
    get server(): PostgresServer {
      return server as PostgresServer
    },
    get admin(): Administrator {
      return admin as Administrator
    },
    /** `connection`: what is not as the server has it. */
    async opened({ connection, ...options }: PostgresJournalOptions): Promise<PostgresJournal> {
      const there = { ...(server as PostgresServer).connection, ...connection }
      const journal = await openPostgresJournal({ waitMs: 20_000, ...options, connection: there })
      journals.push(journal)
      return journal
    },
  }
}
