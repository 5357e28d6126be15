/** The roles of a store: what each may do, and what is reported if it may not. */
import { examine, openEngine } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { memoryBlobs } from '../blobs/memory-blobs.ts'
import { nodeHashing } from '../hashing/node-hashing.ts'
import { randomIds } from '../system/random-ids.ts'
import { systemClock } from '../system/system-clock.ts'
import { systemTimer } from '../system/system-timer.ts'
import { journalRoles } from './journal-roles.ts'
import { loadPg, rowsOf } from './pg-client.ts'
import type { PostgresJournal } from './postgres-journal.ts'
import type { PostgresJournalOptions } from './postgres-options.ts'
import { postgresOfTests } from './postgres-of-tests.fixture.ts'
import { noPostgres } from './postgres-server.fixture.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)
const eventAt = (expectedHead: number) => ({
  expectedHead,
  events: [bytes(expectedHead)],
  rows: [{ key: bytes(1), value: bytes(expectedHead) }],
})

// It needs a server: the tests of the contract print why there is none.
describe.skipIf(noPostgres !== undefined)('the roles of a store in PostgreSQL', () => {
  const tests = postgresOfTests()
  let schemas = 0

  const freshSchema = () => `roles_${++schemas}`
  const as = (user?: string) => ({ ...tests.server.connection, ...(user !== undefined && { user }) })
  const opened = (schema: string, user?: string, options: PostgresJournalOptions = {}): Promise<PostgresJournal> =>
    tests.opened({ ...options, schema, connection: as(user) })
  /** Runs a statement as a user. Resolves with the SQLSTATE of its failure. */
  async function attempt(user: string, text: string): Promise<string | undefined> {
    const { Pool } = await loadPg()
    const pool = new Pool({ ...as(user), max: 1 })
    const client = await pool.connect()
    try {
      await rowsOf(client, text)
      return undefined
    } catch (error) {
      return (error as { code?: string }).code
    } finally {
      client.release(true)
      await pool.end()
    }
  }
  /** The schema of a store with an owner, a node and a reader. */
  async function withRoles(options: PostgresJournalOptions = {}) {
    const schema = freshSchema()
    const roles = { owner: `${schema}_owner`, node: `${schema}-node`, reader: `${schema}.reader` }
    const script = journalRoles({ schema, ...roles })
    await tests.admin.run(script)
    await (await opened(schema, roles.owner, options)).close()
    return { schema, script, ...roles }
  }

  it('are made by a script that can run again, before and after the tables are made', async () => {
    const { schema, script, node, reader } = await withRoles()
    await (await opened(schema, node)).commit(eventAt(0))
    await tests.admin.run(script)
    const journal = await opened(schema, node)
    await journal.commit(eventAt(1))
    const held = await journal.hold?.()
    await held?.commit(eventAt(2))
    expect(await (await opened(schema, reader, { readOnly: true })).head()).toBe(3)
  })

  it('let nodes change tables by the functions only', async () => {
    const { schema, node, reader } = await withRoles()
    await (await opened(schema, node)).commit(eventAt(0))
    const s = schema
    const forbidden = [
      `INSERT INTO ${s}.events VALUES (2, '')`,
      `INSERT INTO ${s}.events_0 VALUES (2, '')`,
      `UPDATE ${s}.events SET bytes = ''`,
      `DELETE FROM ${s}.events`,
      `DELETE FROM ${s}.events_0`,
      `TRUNCATE ${s}.events`,
      `DROP TABLE ${s}.events`,
      `ALTER TABLE ${s}.events DETACH PARTITION ${s}.events_0`,
      `UPDATE ${s}.head SET seq = 5`,
      `SELECT seq FROM ${s}.head FOR UPDATE`,
      `DELETE FROM ${s}.head`,
      `INSERT INTO ${s}.rows VALUES ('', '')`,
      `UPDATE ${s}.rows SET value = ''`,
      `DELETE FROM ${s}.rows`,
      `UPDATE ${s}.meta SET version = 1`,
      `CREATE TABLE ${s}.other ()`,
      `CREATE OR REPLACE FUNCTION ${s}.add_parts() RETURNS void LANGUAGE sql AS 'SELECT'`,
    ]
    for (const user of [node, reader])
      for (const text of forbidden) expect([text, await attempt(user, text)]).toEqual([text, '42501'])
    expect(await attempt(node, `SELECT ${s}.add_parts()`)).toBeUndefined()
    expect(await attempt(reader, `SELECT * FROM ${s}.events, ${s}.rows`)).toBeUndefined()
    for (const call of ['add_parts()', 'hold_head()'])
      expect(await attempt(reader, `SELECT ${s}.${call}`)).toBe('42501')
    // Objects of the session of a node do not change what the functions do.
    const shadow = `CREATE TEMP TABLE head AS SELECT 9 AS seq; CREATE TEMP TABLE events (seq int); SELECT ${s}.hold_head()`
    expect(await attempt(node, shadow)).toBeUndefined()
  })

  it('give new parts of the log to readers', async () => {
    const { schema, node, reader } = await withRoles({ partEvents: 1000 })
    const journal = await opened(schema, node)
    for (let head = 0; head < 3000; head += 500)
      await journal.commit({ expectedHead: head, events: Array.from({ length: 500 }, () => bytes(1)), rows: [] })
    expect(await attempt(reader, `SELECT * FROM ${schema}.events_4000`)).toBeUndefined()
    expect(await attempt(node, `DELETE FROM ${schema}.events_4000`)).toBe('42501')
  })

  it('let a reader verify a store', async () => {
    const { schema, node, reader } = await withRoles()
    const blobs = memoryBlobs()
    const hashing = await nodeHashing()
    const machine = { hashing, blobs, clock: systemClock, ids: randomIds, timer: systemTimer }
    const engine = await openEngine({ ...machine, journal: await opened(schema, node) })
    await engine.buckets.create('box')
    await engine.objects.put('box', 'a', 'body')
    await engine.close()
    const journal = await opened(schema, reader, { readOnly: true })
    const { report } = await examine({ hashing, blobs, journal }, { views: 'check' })
    expect(report).toMatchObject({ ok: true })
    await expect(journal.commit(eventAt(2))).rejects.toMatchObject({ code: 'ReadOnly' })
    expect(journal.hold).toBeUndefined()
  })

  it('are found to lack a right when the journal is opened', async () => {
    const schema = freshSchema()
    const user = `${schema}_lacking`
    await opened(schema)
    const functions = `${schema}.commit, ${schema}.hold_head`
    await tests.admin.run(
      `CREATE ROLE ${user} LOGIN`,
      `REVOKE ALL ON FUNCTION ${functions} FROM PUBLIC`,
      `GRANT USAGE ON SCHEMA ${schema} TO ${user}`,
      `GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${user}`,
      `GRANT EXECUTE ON FUNCTION ${functions} TO ${user}`,
    )
    await (await opened(schema, user)).commit(eventAt(0))
    const rights = [
      'USAGE ON SCHEMA',
      'SELECT ON meta',
      'SELECT ON head',
      'SELECT ON events',
      'SELECT ON rows',
      'EXECUTE ON FUNCTION commit',
      'EXECUTE ON FUNCTION hold_head',
    ].map((right) => (right === 'USAGE ON SCHEMA' ? `${right} ${schema}` : right.replace(/\w+$/, `${schema}.$&`)))
    for (const missing of rights) {
      await tests.admin.run(`REVOKE ${missing} FROM ${user}`)
      const failure = { code: 'JournalFailed', details: { kind: 'rights', missing } }
      await expect(opened(schema, user)).rejects.toMatchObject(failure)
      await tests.admin.run(`GRANT ${missing} TO ${user}`)
    }
    await (await opened(schema, user)).commit(eventAt(1))
  })

  it('are found to lack the right to create a store, and nothing is created', async () => {
    const schema = freshSchema()
    await tests.admin.run(`CREATE ROLE uncreative LOGIN`)
    const failure = (missing: string) => ({ code: 'JournalFailed', details: { kind: 'rights', missing } })
    await expect(opened(schema, 'uncreative')).rejects.toMatchObject(failure('CREATE ON DATABASE postgres'))
    await tests.admin.run(`CREATE SCHEMA ${schema}`, `GRANT USAGE ON SCHEMA ${schema} TO uncreative`)
    await expect(opened(schema, 'uncreative')).rejects.toMatchObject(failure(`USAGE, CREATE ON SCHEMA ${schema}`))
    for (const options of [{ create: false }, { readOnly: true }])
      await expect(opened(schema, 'uncreative', options)).rejects.toMatchObject({ code: 'StoreNotFound' })
    await tests.admin.run(`GRANT CREATE ON SCHEMA ${schema} TO uncreative`)
    await (await opened(schema, 'uncreative')).commit(eventAt(0))
  })

  it('are refused by the script for a schema of another owner', async () => {
    const schema = freshSchema()
    const [owner, node] = ['ruler', 'ruled']
    await opened(schema)
    await expect(tests.admin.run(journalRoles({ schema, owner, node }))).rejects.toThrow(
      'The role varve owns the schema',
    )
  })
})
