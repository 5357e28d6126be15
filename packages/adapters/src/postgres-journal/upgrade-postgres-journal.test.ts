/** Schemas of version 1: used as they are, and raised while engines are at work. */
import { openEngine } from '@varve/core'
import { journalContract } from '@varve/core/contracts'
import { describe, expect, it } from 'vitest'
import { memoryBlobs } from '../blobs/memory-blobs.ts'
import { nodeHashing } from '../hashing/node-hashing.ts'
import { randomIds } from '../system/random-ids.ts'
import { systemClock } from '../system/system-clock.ts'
import { systemTimer } from '../system/system-timer.ts'
import { twoEngines } from '../two-engines.fixture.ts'
import { openPostgresJournal } from './open-postgres-journal.ts'
import { rowsOf } from './pg-client.ts'
import type { PostgresJournal } from './postgres-journal.ts'
import { postgresOfTests } from './postgres-of-tests.fixture.ts'
import { noPostgres } from './postgres-server.fixture.ts'
import { createVersion1 } from './schema-version-1.fixture.ts'
import { upgradePostgresJournal } from './upgrade-postgres-journal.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)
const commitOf = (expectedHead: number, count = 1) => ({
  expectedHead,
  events: Array.from({ length: count }, () => bytes(1)),
  rows: [{ key: bytes(1), value: bytes(expectedHead % 256) }],
})

// It needs a server: the tests of the contract print why there is none.
describe.skipIf(noPostgres !== undefined)('a schema of version 1 in PostgreSQL', () => {
  const tests = postgresOfTests()
  let schemas = 0

  async function version1(): Promise<string> {
    const schema = `old_${++schemas}`
    const client = await tests.admin.connect()
    await createVersion1(client, schema)
    client.release(true)
    return schema
  }
  const reopen = (schema: string, user = tests.server.connection.user) =>
    openPostgresJournal({ connection: { ...tests.server.connection, user }, schema, waitMs: 20_000 })
  const opened = (schema: string, user = tests.server.connection.user): Promise<PostgresJournal> =>
    tests.opened({ schema, connection: { user } })
  const upgrade = (schema: string, options: { partEvents?: number; signal?: AbortSignal } = {}) =>
    upgradePostgresJournal({ connection: tests.server.connection, schema, ...options })
  const versionOf = async (schema: string) =>
    Number((await tests.admin.run(`SELECT version FROM ${schema}.meta`))[0]?.[0])
  const constraintsOf = (schema: string) =>
    tests.admin.run(`SELECT conname FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
      WHERE connamespace = '${schema}'::regnamespace AND contype = 'c' AND relname LIKE 'events%'`)
  const stateOf = async (schema: string) => [await versionOf(schema), await constraintsOf(schema)]

  const openFresh = async () => {
    const schema = await version1()
    return { instance: await reopen(schema), reopen: () => reopen(schema) }
  }
  for (const { name, run } of journalContract) it(name, () => run(openFresh))
  for (const { name, run } of twoEngines) it(name, () => run(openFresh))

  it('keeps its log when it is upgraded, and is upgraded once', async () => {
    const schema = await version1()
    const journal = await opened(schema)
    await journal.commit(commitOf(0, 1500))
    expect(
      await Promise.all([upgrade(schema, { partEvents: 1000 }), upgrade(schema, { partEvents: 1000 })]),
    ).toMatchObject([
      { from: 1, to: 2 },
      { from: 1, to: 2 },
    ])
    expect(await upgrade(schema)).toEqual({ from: 2, to: 2 })
    expect(await stateOf(schema)).toEqual([2, []])
    // In the first part, behind it, and in one that a commit makes.
    for (let head = 1500; head < 6000; head += 500) await journal.commit(commitOf(head, 500))
    let seen = 0
    for await (const { seq } of (await opened(schema)).events()) expect(seq).toBe(++seen)
    expect(seen).toBe(6000)
    const [bounds] = await tests.admin.run(
      `SELECT min(seq), max(seq), (SELECT min(seq) FROM ${schema}.events_3000) FROM ${schema}.events_0`,
    )
    expect(bounds).toEqual(['1', '2999', '3000'])
  })

  it('is upgraded while two engines write and read, and nothing is lost', async () => {
    const schema = await version1()
    const hashing = await nodeHashing()
    const machine = { hashing, blobs: memoryBlobs(), clock: systemClock, ids: randomIds, timer: systemTimer }
    const engines = await Promise.all([1, 2].map(async () => openEngine({ ...machine, journal: await opened(schema) })))
    await engines[0]?.buckets.create('box')
    let isRunning = true
    const written: string[] = []
    const errors: unknown[] = []
    const work = engines.map(async (engine, own) => {
      for (let i = 0; isRunning; i++) {
        const keys = Array.from({ length: 4 }, (_, n) => `${own}-${i}-${n}`)
        await Promise.all(keys.map((key) => engine.objects.put('box', key, key))).catch((e: unknown) => errors.push(e))
        written.push(...keys)
        for (const key of keys) expect(await (await engine.objects.get('box', key)).text()).toBe(key)
        for await (const _ of engine.log({ from: Math.max(engine.seq - 20, 1) })) void _
      }
    })
    await expect.poll(() => written.length).toBeGreaterThan(20)
    await upgrade(schema, { partEvents: 1000 })
    const at = written.length
    await expect.poll(() => written.length, { timeout: 10_000 }).toBeGreaterThan(at + 40)
    isRunning = false
    await Promise.all(work)
    expect(errors).toEqual([])
    expect(await stateOf(schema)).toEqual([2, []])
    for (const engine of engines) expect(await engine.verify({ views: 'check' })).toMatchObject({ ok: true })
    for (const key of written) expect(await (await engines[1]?.objects.get('box', key))?.text()).toBe(key)
    expect(engines[0]?.seq).toBe(written.length + 1)
    for (const engine of engines) await engine.close()
  }, 60_000)

  it('carries out a commit and a turn that wait for the upgrade, with the rights of their role', async () => {
    const schema = await version1()
    const user = `${schema}_node`
    await tests.admin.run(
      `CREATE ROLE ${user} LOGIN`,
      `GRANT USAGE ON SCHEMA ${schema} TO ${user}`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${user}`,
    )
    const [journal, other] = [await opened(schema, user), await opened(schema, user)]
    await journal.commit(commitOf(0))
    // Plans of the old tables are kept in these sessions.
    await other.commit(commitOf(1))
    const held = await journal.hold?.()
    const upgrading = upgrade(schema)
    const waiting = `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
    await expect.poll(async () => (await tests.admin.run(waiting))[0]?.[0], { interval: 5 }).toBe('1')
    // It begins in the function of version 1, and waits for the head behind the upgrade.
    const commit = other.commit(commitOf(2))
    await expect.poll(async () => (await tests.admin.run(waiting))[0]?.[0], { interval: 5 }).toBe('2')
    await held?.release()
    await upgrading
    await commit
    await (await journal.hold?.())?.commit(commitOf(3))
    expect(await journal.head()).toBe(4)
  })

  it('stays as it is when the upgrade is stopped, fails or is killed', async () => {
    const schema = await version1()
    const journal = await opened(schema)
    await journal.commit(commitOf(0, 10))
    const stop = new AbortController()
    const holder = await tests.admin.connect()
    await rowsOf(holder, `BEGIN; SELECT count(*) FROM ${schema}.events`)
    const stopped = upgrade(schema, { signal: stop.signal })
    setTimeout(() => stop.abort(new Error('stopped')), 1500)
    await expect(stopped).rejects.toThrow('stopped')
    await rowsOf(holder, 'ROLLBACK')
    expect(await stateOf(schema)).toEqual([1, []])
    // The function of another user is in the way.
    await tests.admin.run(`CREATE FUNCTION ${schema}.hold_head(OUT at text) LANGUAGE sql AS $$ SELECT '' $$`)
    await expect(upgrade(schema)).rejects.toMatchObject({ code: 'JournalFailed', details: { kind: '42P13' } })
    expect(await stateOf(schema)).toEqual([1, []])
    await tests.admin.run(`DROP FUNCTION ${schema}.hold_head`)
    // As an upgrade leaves it that was killed: its bound is too near now.
    await tests.admin.run(`ALTER TABLE ${schema}.events ADD CONSTRAINT events_below_1000 CHECK (seq < 1000) NOT VALID`)
    await journal.commit(commitOf(10, 10))
    expect(await upgrade(schema, { partEvents: 1000 })).toEqual({ from: 1, to: 2 })
    expect(await stateOf(schema)).toEqual([2, []])
    await journal.commit(commitOf(20, 3000))
    holder.release(true)
  })

  it('is refused by releases that do not know the version that another one made of it', async () => {
    const schema = await version1()
    const journal = await opened(schema)
    await journal.commit(commitOf(0))
    await tests.admin.run(
      `UPDATE ${schema}.meta SET version = 3`,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'varve'`,
    )
    const failure = { code: 'UnsupportedFormat', details: { kind: 'newer' } }
    await expect(upgrade(schema)).rejects.toMatchObject(failure)
    await expect.poll(() => journal.head().catch((error: unknown) => error)).toMatchObject(failure)
  })

  it('is not upgraded where there is no store, or another one', async () => {
    await expect(upgrade('nowhere')).rejects.toMatchObject({ code: 'StoreNotFound' })
    await tests.admin.run('CREATE SCHEMA elsewhere', 'CREATE TABLE elsewhere.events (id int)')
    await expect(upgrade('elsewhere')).rejects.toMatchObject({ code: 'StoreNotFound' })
  })
})
