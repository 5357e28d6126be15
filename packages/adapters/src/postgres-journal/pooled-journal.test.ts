/** A journal whose connections go through a pooler that gives them a server for one transaction each. */
import { journalContract } from '@varve/core/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { twoEngines } from '../two-engines.fixture.ts'
import { openPostgresJournal } from './open-postgres-journal.ts'
import { noPgBouncer, type Pooler, pgBouncer } from './pgbouncer.fixture.ts'
import { administrator, noPostgres, type PostgresServer, postgresServer } from './postgres-server.fixture.ts'

/** Two journals want 16 connections. Their snapshots leave one for commits. */
const poolSize = 9
const snapshots = 4
const missing = noPostgres ?? noPgBouncer
if (missing !== undefined) console.log(`Skipped: ${missing}`)

// It needs both programs.
describe.skipIf(missing !== undefined)('a journal in PostgreSQL behind PgBouncer', () => {
  let server: PostgresServer
  let pooler: Pooler
  let admin: Awaited<ReturnType<typeof administrator>>
  let schemas = 0
  beforeAll(async () => {
    server = await postgresServer()
    admin = await administrator(server)
    pooler = await pgBouncer(server, { mode: 'transaction', poolSize })
  })
  afterAll(async () => {
    await pooler?.remove()
    await admin?.end()
    await server?.remove()
  })

  const openFresh = async () => {
    const schema = `store_${++schemas}`
    const reopen = () => openPostgresJournal({ connection: pooler.connection, schema, snapshots })
    return { instance: await reopen(), reopen }
  }
  for (const { name, run } of journalContract) it(name, () => run(openFresh))
  for (const { name, run } of twoEngines) it(name, () => run(openFresh))

  it('is refused in statement mode, with and without a store', async () => {
    const statements = await pgBouncer(server, { mode: 'statement', poolSize: 4 })
    const schema = `store_${++schemas}`
    const opening = () => openPostgresJournal({ connection: statements.connection, schema })
    const failure = { code: 'JournalFailed', details: { kind: 'pooling' } }
    try {
      await expect(opening()).rejects.toMatchObject(failure)
      await (await openPostgresJournal({ connection: server.connection, schema })).close()
      await expect(opening()).rejects.toMatchObject(failure)
    } finally {
      await statements.remove()
    }
  })

  it('fails with a code when snapshots have all connections of the pooler', async () => {
    const { connection } = pooler
    const schema = `store_${++schemas}`
    const journal = await openPostgresJournal({ connection, schema, snapshots: poolSize + 1, waitMs: 500 })
    const held = await Promise.all(Array.from({ length: poolSize }, async () => journal.snapshot()))
    const failure = { code: 'TooManyOpenFiles', details: { kind: 'connections' } }
    await expect(journal.snapshot()).rejects.toMatchObject(failure)
    await expect(journal.head()).rejects.toMatchObject(failure)
    for (const snapshot of held) await snapshot.close()
    await journal.commit({ expectedHead: 0, events: [Uint8Array.of(1)], rows: [] })
    expect(await journal.head()).toBe(1)
    await journal.close()
  })

  it('notices that its server has another store', async () => {
    const schema = `store_${++schemas}`
    const journal = await openPostgresJournal({ connection: pooler.connection, schema, waitMs: 5000 })
    await admin.run(`UPDATE ${schema}.meta SET store = gen_random_uuid()`)
    const failure = { code: 'JournalFailed', details: { kind: 'otherStore' } }
    await expect(journal.head()).rejects.toMatchObject(failure)
    await expect(journal.snapshot()).rejects.toMatchObject(failure)
    await journal.close()
  })

  it('shows nothing that a restarted server has alone, until its standbys have it', async () => {
    const schema = `store_${++schemas}`
    const journal = await openPostgresJournal({ connection: pooler.connection, schema, waitMs: 2000 })
    // The pooler keeps these connections over the restart of the server.
    await Promise.all([journal.head(), journal.head(), journal.head()])
    await (await journal.snapshot()).close()
    await setStandbys('missing')
    try {
      const commit = journal
        .commit({ expectedHead: 0, events: [Uint8Array.of(1)], rows: [] })
        .catch((error: unknown) => error)
      const waiting = `SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`
      await expect.poll(async () => (await admin.run(waiting))[0]?.[0]).toBe('1')
      await server.kill()
      await server.start()
      expect(await commit).toMatchObject({ code: 'JournalFailed' })
      const failure = { code: 'JournalFailed', details: { kind: 'notReplicated' } }
      await expect(journal.head()).rejects.toMatchObject(failure)
      await expect(journal.snapshot()).rejects.toMatchObject(failure)
    } finally {
      await setStandbys('')
    }
    await expect.poll(() => journal.head().catch(() => undefined)).toBe(1)
    await journal.close()
  })

  it('waits for a server that is away', async () => {
    const schema = `store_${++schemas}`
    const journal = await openPostgresJournal({ connection: pooler.connection, schema, waitMs: 20_000 })
    await server.kill()
    const reads = Promise.all([journal.head(), Promise.resolve(journal.snapshot())])
    await new Promise((resolve) => setTimeout(resolve, 500))
    await server.start()
    await (await reads)[1].close()
    await journal.close()
  })

  const setStandbys = (names: string) =>
    admin.run(
      `ALTER SYSTEM SET synchronous_standby_names = '${names}'`,
      'SELECT pg_reload_conf()',
      'SELECT pg_sleep(0.2)',
    )
})
