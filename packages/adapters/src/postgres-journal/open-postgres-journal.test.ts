import { journalContract } from '@varve/core/contracts'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { twoEngines } from '../two-engines.fixture.ts'
import { openPostgresJournal } from './open-postgres-journal.ts'
import { noPostgres, type PostgresServer, postgresServer } from './postgres-server.fixture.ts'

if (noPostgres !== undefined) console.log(`Skipped: ${noPostgres}`)

describe.skipIf(noPostgres !== undefined)('a journal in PostgreSQL', () => {
  let server: PostgresServer
  let schemas = 0
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.remove())

  const openFresh = async () => {
    const schema = `store_${++schemas}`
    const reopen = () => openPostgresJournal({ connection: server.connection, schema })
    return { instance: await reopen(), reopen }
  }
  for (const { name, run } of journalContract) it(name, () => run(openFresh))
  for (const { name, run } of twoEngines) it(name, () => run(openFresh))
})
