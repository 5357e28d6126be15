/** What a journal does when its database refuses, fails or is not what it should be. */
import { randomBytes } from 'node:crypto'
import { type Commit, type Journal, isStorageError } from '@varve/core'
import { describe, expect, it } from 'vitest'
import type { PostgresJournalOptions } from './postgres-options.ts'
import { postgresOfTests } from './postgres-of-tests.fixture.ts'
import { noPostgres } from './postgres-server.fixture.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)
const put = (key: number, value = key) => ({ key: bytes(key), value: bytes(value) })
const absent = (key: number) => ({ key: bytes(key), value: null })
const eventAt = (expectedHead: number) => ({
  expectedHead,
  events: [bytes(expectedHead)],
  rows: [put(1, expectedHead)],
})
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

// It needs a server: the tests of the contract print why there is none.
describe.skipIf(noPostgres !== undefined)('a journal in PostgreSQL', () => {
  const tests = postgresOfTests({ deadlock_timeout: '300ms' })
  let schemas = 0

  const freshSchema = () => `faults_${++schemas}`
  const opened = (options: PostgresJournalOptions = {}): Promise<Journal> =>
    tests.opened({ schema: freshSchema(), ...options })
  /** Opens as a new user with these settings and rights. */
  async function openedAs(user: string, statements: readonly string[], options: PostgresJournalOptions = {}) {
    await tests.admin.run(`CREATE ROLE ${user} LOGIN`, `GRANT CREATE ON DATABASE postgres TO ${user}`, ...statements)
    return opened({ ...options, connection: { user } })
  }

  it('checks the name of its schema', async () => {
    for (const schema of ['', 'Varve', 'a"b', '1a', 'a-b', 'pg_x', 'information_schema', 'x'.repeat(64)]) {
      const details = { ArgumentName: 'schema' }
      await expect(opened({ schema })).rejects.toMatchObject({ code: 'InvalidArgument', details })
    }
  })

  it('reports an address without a database', async () => {
    const nowhere = opened({ connection: { host: '/nowhere' } })
    await expect(nowhere).rejects.toMatchObject({ code: 'JournalFailed', details: { kind: 'ENOENT' } })
    const missing = opened({ connection: { database: 'missing' } })
    await expect(missing).rejects.toMatchObject({ code: 'JournalFailed', details: { kind: '3D000' } })
  })

  it('is created once by all who open it at the same time', async () => {
    const schema = freshSchema()
    await expect(opened({ schema, create: false })).rejects.toMatchObject({ code: 'StoreNotFound' })
    const all = await Promise.all(Array.from({ length: 4 }, () => opened({ schema })))
    for (const [head, journal] of all.entries()) await journal.commit(eventAt(head))
    expect(await (await opened({ schema, create: false })).head()).toBe(4)
  })

  it('refuses a schema with other content, a newer one, and one whose head is not its end', async () => {
    const [other, meta, newer, damaged] = [freshSchema(), freshSchema(), freshSchema(), freshSchema()]
    await tests.admin.run(`CREATE SCHEMA ${other}`, `CREATE TABLE ${other}.orders (id int)`)
    await expect(opened({ schema: other })).rejects.toMatchObject({ code: 'StoreNotFound' })
    await tests.admin.run(`CREATE SCHEMA ${meta}`, `CREATE TABLE ${meta}.meta (id int)`)
    await expect(opened({ schema: meta })).rejects.toMatchObject({ code: 'StoreNotFound' })
    await (await opened({ schema: newer })).close()
    await tests.admin.run(`UPDATE ${newer}.meta SET version = 2`)
    const details = { kind: 'newer' }
    await expect(opened({ schema: newer })).rejects.toMatchObject({ code: 'UnsupportedFormat', details })
    await (await opened({ schema: damaged })).commit(eventAt(0))
    await tests.admin.run(`DELETE FROM ${damaged}.events`)
    await expect(opened({ schema: damaged })).rejects.toMatchObject({ code: 'LogCorrupt', details: { kind: 'head' } })
  })

  it.each([
    ['synchronous_commit', 'off', 'notDurable'],
    ['default_transaction_read_only', 'on', 'readOnly'],
    ['default_transaction_isolation', 'serializable', 'isolation'],
  ])('refuses a user with %s = %s', async (name, value, kind) => {
    const user = `user_${kind.toLowerCase()}`
    const opening = openedAs(user, [`ALTER ROLE ${user} SET ${name} = '${value}'`])
    await expect(opening).rejects.toMatchObject({ code: 'JournalFailed', details: { kind } })
  })

  it.each(['fsync', 'full_page_writes'])('refuses a server with %s = off, unless losses are allowed', async (name) => {
    await tests.admin.run(`ALTER SYSTEM SET ${name} = off`, 'SELECT pg_reload_conf()', 'SELECT pg_sleep(0.2)')
    try {
      await expect(opened()).rejects.toMatchObject({ code: 'JournalFailed', details: { kind: 'notDurable' } })
      await (await opened({ allowLoss: true })).commit(eventAt(0))
    } finally {
      await tests.admin.run(`ALTER SYSTEM RESET ${name}`, 'SELECT pg_reload_conf()', 'SELECT pg_sleep(0.2)')
    }
  })

  it('commits durably where synchronous_commit is switched off later', async () => {
    const schema = freshSchema()
    const journal = await openedAs('later', [], { schema, connections: 1 })
    await tests.admin.run(
      `CREATE TABLE public.seen (value text)`,
      `GRANT ALL ON public.seen TO later`,
      `CREATE FUNCTION public.see() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO public.seen VALUES (current_setting(''synchronous_commit'')); RETURN NEW; END'`,
      `CREATE TRIGGER see BEFORE INSERT ON ${schema}.events FOR EACH ROW EXECUTE FUNCTION public.see()`,
      `ALTER ROLE later SET synchronous_commit = off`,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'later'`,
    )
    await expect.poll(() => journal.commit(eventAt(0)).then(() => 'done', String)).toBe('done')
    expect(await tests.admin.run('SELECT value FROM public.seen')).toEqual([['on']])
  })

  it('takes keys that are longer than those of any store', async () => {
    const journal = await opened()
    // A page of an index holds three entries at least.
    const key = new Uint8Array(randomBytes(2600))
    await journal.commit({ events: [], rows: [{ key, value: bytes(1) }] })
    expect(await journal.get(key)).toEqual(bytes(1))
  })

  it('has no half commit when the disk is full, and goes on when it is not', async () => {
    const schema = freshSchema()
    const journal = await opened({ schema })
    await journal.commit(eventAt(0))
    await tests.admin.run(
      `CREATE FUNCTION ${schema}.full() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN RAISE EXCEPTION USING ERRCODE = ''disk_full''; END'`,
      `CREATE TRIGGER full_rows BEFORE INSERT ON ${schema}.rows FOR EACH ROW EXECUTE FUNCTION ${schema}.full()`,
    )
    await expect(journal.commit(eventAt(1))).rejects.toMatchObject({ code: 'NoSpace', details: { kind: '53100' } })
    expect([await journal.head(), await journal.get(bytes(1))]).toEqual([1, bytes(0)])
    await tests.admin.run(`DROP TRIGGER full_rows ON ${schema}.rows`)
    await journal.commit(eventAt(1))
    expect(await journal.get(bytes(1))).toEqual(bytes(1))
  })

  it('does not report a conflict when the connection of a commit is lost', async () => {
    const schema = freshSchema()
    const journal = await opened({ schema })
    const holder = await tests.admin.connect()
    await holder.query({ text: `BEGIN; SELECT * FROM ${schema}.head FOR UPDATE`, rowMode: 'array', types: raw })
    const lost = journal.commit(eventAt(0)).catch((error: unknown) => error)
    await blocked(schema, 'Lock')
    await tests.admin.run(`SELECT pg_terminate_backend(pid) ${activity(schema)}`)
    expect(isStorageError(await lost, 'JournalFailed')).toBe(true)
    holder.release(true)
    await journal.commit(eventAt(0))
    expect(await journal.head()).toBe(1)
  })

  it('does not acknowledge a commit whose standbys it stopped to wait for', async () => {
    const schema = freshSchema()
    const journal = await opened({ schema })
    await setStandbys('missing')
    try {
      const commit = journal.commit(eventAt(0)).catch((error: unknown) => error)
      await blocked(schema, 'IPC')
      await tests.admin.run(`SELECT pg_cancel_backend(pid) ${activity(schema)}`)
      expect(await commit).toMatchObject({ code: 'JournalFailed', details: { kind: 'notReplicated' } })
    } finally {
      await setStandbys('')
    }
  })

  it('takes the turn from a holder that does nothing, and refuses its commit', async () => {
    const schema = freshSchema()
    const [stopped, other] = [await opened({ schema }), await opened({ schema })]
    const held = await stopped.hold?.()
    await other.commit(eventAt(0))
    await expect(held?.commit(eventAt(0))).rejects.toMatchObject({ code: 'JournalConflict', details: { kind: 'turn' } })
    expect(await other.head()).toBe(1)
    const again = await stopped.hold?.()
    expect(again?.seq).toBe(1)
    await again?.commit(eventAt(1))
    expect(await other.head()).toBe(2)
  })

  it('tries again when the database undoes a commit to end a deadlock', async () => {
    const schema = freshSchema()
    const journal = await opened({ schema })
    await journal.commit({ events: [], rows: [put(1), put(2)] })
    const rival = await tests.admin.connect()
    const lock = (key: number) => `SELECT * FROM ${schema}.rows WHERE key = '\\x0${key}' FOR UPDATE`
    const run = (text: string) => rival.query({ text, rowMode: 'array', types: raw })
    await run(`SET deadlock_timeout = '30s'; BEGIN; ${lock(2)}`)
    const commit = journal.commit({ expectedRows: [put(1)], events: [], rows: [put(1, 9), put(2, 9)] })
    await blocked(schema, 'Lock')
    await run(lock(1))
    await run('COMMIT')
    rival.release(true)
    await commit
    expect(await journal.getMany([bytes(1), bytes(2)])).toEqual([bytes(9), bytes(9)])
  })

  const races: Readonly<Record<string, readonly [Commit, Commit]>> = {
    'that expect the same head': [eventAt(1), { ...eventAt(1), events: [bytes(9)] }],
    'with and without events that expect the same head': [eventAt(1), { expectedHead: 1, events: [], rows: [put(1)] }],
    'that expect and change the same row': [
      { expectedRows: [put(2)], events: [], rows: [put(2, 8)] },
      { expectedRows: [put(2)], events: [], rows: [put(2, 9)] },
    ],
    'that each change what the other one expects': [
      { expectedRows: [put(2)], events: [], rows: [put(3, 9)] },
      { expectedRows: [put(3)], events: [], rows: [put(2, 9)] },
    ],
    'that each add what the other one expects to be absent': [
      { expectedRows: [absent(4)], events: [], rows: [put(5)] },
      { expectedRows: [absent(5)], events: [], rows: [put(4)], outsideLog: true },
    ],
    'that add the same absent row': [
      { expectedRows: [absent(4)], events: [], rows: [put(4, 8)] },
      { expectedRows: [absent(4)], events: [], rows: [put(4, 9)] },
    ],
  }
  it.each(Object.entries(races))('takes one of two commits of two machines %s', async (_, [first, second]) => {
    const schema = freshSchema()
    const [one, two] = [await opened({ schema }), await opened({ schema })]
    await one.commit({ ...eventAt(0), rows: [put(2), put(3)] })
    // The second commit begins after the checks of the first one, and before its end.
    await tests.admin.run(
      `CREATE TABLE ${schema}.gate ()`,
      `CREATE FUNCTION ${schema}.pause() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN LOCK TABLE ${schema}.gate IN ACCESS SHARE MODE; RETURN NULL; END'`,
      `CREATE TRIGGER pause BEFORE INSERT ON ${schema}.rows EXECUTE FUNCTION ${schema}.pause()`,
    )
    const gate = await tests.admin.connect()
    await gate.query({ text: `BEGIN; LOCK TABLE ${schema}.gate`, rowMode: 'array', types: raw })
    const taken = one.commit(first)
    await blocked(schema, 'Lock')
    let isSettled = false
    const other = two.commit(second).finally(() => (isSettled = true))
    await expect.poll(async () => isSettled || (await waiting(schema, 'Lock')) === 2, patience).toBe(true)
    gate.release(true)
    const outcomes = await Promise.allSettled([taken, other])
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    expect(refused).toMatchObject([{ reason: { code: 'JournalConflict' } }])
  })

  it('bounds its snapshots, and commits beside them', async () => {
    const journal = await opened({ snapshots: 2, connections: 1, waitMs: 300 })
    const held = [await journal.snapshot(), await journal.snapshot()]
    await expect(journal.snapshot()).rejects.toMatchObject({
      code: 'TooManyOpenFiles',
      details: { kind: 'connections' },
    })
    const ofWriter = await journal.snapshot({ forWriter: true })
    await journal.commit(eventAt(0))
    await ofWriter.close()
    const later = journal.snapshot()
    await held[0]?.close()
    expect(await (await later).get(bytes(1))).toEqual(bytes(0))
    expect(await held[1]?.get(bytes(1))).toBeUndefined()
  })

  it('replaces connections that were lost while they were idle, and has the time of the server', async () => {
    const schema = freshSchema()
    const journal = await opened({ schema })
    const snapshot = await journal.snapshot()
    await tests.admin.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'varve'`)
    await pause(100)
    await expect(snapshot.get(bytes(1))).rejects.toMatchObject({ code: 'JournalFailed' })
    await journal.commit(eventAt(0))
    expect(Math.abs(((await journal.now?.()) ?? 0) - Date.now())).toBeLessThan(60_000)
  })

  it('shows nothing that a restarted server has alone, until its standbys have it', async () => {
    const schema = freshSchema()
    const journal = await opened({ schema, waitMs: 1500 })
    await setStandbys('missing')
    try {
      const commit = journal.commit(eventAt(0)).catch((error: unknown) => error)
      await blocked(schema, 'IPC')
      await tests.server.kill()
      await tests.server.start()
      expect(await commit).toMatchObject({ code: 'JournalFailed' })
      const failure = { code: 'JournalFailed', details: { kind: 'notReplicated' } }
      await expect(journal.head()).rejects.toMatchObject(failure)
      await expect(journal.snapshot()).rejects.toMatchObject(failure)
      await expect(opened({ schema, waitMs: 1500 })).rejects.toMatchObject(failure)
    } finally {
      await setStandbys('')
    }
    await expect.poll(() => journal.head().catch(() => undefined)).toBe(1)
    await journal.commit(eventAt(1))
  })

  it('loses nothing that it acknowledged when the server is killed', async () => {
    const journal = await opened({ connections: 6 })
    let [head, beat, unknown] = [0, 0, 0]
    for (let round = 0; round < 12; round++) {
      let alive = true
      const write = async () => {
        for (; alive; head++) await journal.commit(eventOf(head))
      }
      const beats = async () => {
        for (; alive; beat++) await journal.commit(beatAfter(beat))
      }
      const stopped = Promise.allSettled([write(), beats()])
      await pause(30 + 17 * round)
      await tests.server.kill()
      alive = false
      // A commit that had no connection yet waits for the tests.server.
      await tests.server.start()
      for (const outcome of await stopped) {
        if (outcome.status === 'fulfilled') continue
        unknown++
        expect(isStorageError(outcome.reason, 'JournalFailed')).toBe(true)
      }
      const found = { head: await journal.head(), beat: numberIn(await journal.get(bytes(0x90))) }
      expect([head, head + 1]).toContain(found.head)
      expect([beat, beat + 1]).toContain(found.beat)
      expect(numberIn(await journal.get(bytes(1)))).toBe(found.head)
      head = found.head
      beat = found.beat
    }
    expect(unknown).toBeGreaterThan(5)
    let seen = 0
    for await (const { seq, bytes: stored } of journal.events()) {
      expect([seq, numberIn(stored)]).toEqual([++seen, seen])
    }
    expect([seen, head > 50]).toEqual([head, true])
  })

  it('waits for a server that is gone once, and not once for each call', async () => {
    const journal = await opened({ connections: 1, snapshots: 1, waitMs: 400 })
    await journal.commit(eventAt(0))
    await tests.server.kill()
    await expect(journal.get(bytes(1))).rejects.toMatchObject({ code: 'JournalFailed' })
    const call = async (i: number): Promise<unknown> => (i % 2 === 0 ? journal.head() : journal.snapshot())
    const calls = Array.from({ length: 16 }, (_, i) => call(i))
    // Those that wait for a connection would find that all are in use.
    for (const { status, ...end } of await Promise.allSettled(calls))
      expect({ status, ...end }).toMatchObject({ status: 'rejected', reason: { code: 'JournalFailed' } })
    await tests.server.start()
    await expect.poll(() => journal.head().catch(() => undefined)).toBe(1)
    await journal.commit(eventAt(1))
  })

  it('refuses a standby', async () => {
    const schema = freshSchema()
    const journal = await opened({ schema })
    await journal.commit(eventAt(0))
    await tests.server.kill()
    await tests.server.start(true)
    const failure = { code: 'JournalFailed', details: { kind: 'standby' } }
    await expect(opened({ schema })).rejects.toMatchObject(failure)
    await expect(journal.snapshot()).rejects.toMatchObject(failure)
    await expect(journal.commit(eventAt(1))).rejects.toMatchObject(failure)
  })

  const setStandbys = (names: string) =>
    tests.admin.run(
      `ALTER SYSTEM SET synchronous_standby_names = '${names}'`,
      'SELECT pg_reload_conf()',
      'SELECT pg_sleep(0.2)',
    )
  const activity = (schema: string) =>
    `FROM pg_stat_activity WHERE query LIKE '%"${schema}".commit%' AND state = 'active' AND pid <> pg_backend_pid()`
  const patience = { interval: 10, timeout: 30_000 }
  const blocked = (schema: string, event: string): Promise<void> =>
    expect.poll(() => waiting(schema, event), patience).toBe(1)
  const waiting = async (schema: string, event: string) =>
    Number((await tests.admin.run(`SELECT count(*) ${activity(schema)} AND wait_event_type = '${event}'`))[0]?.[0])
})

const raw = { getTypeParser: () => (value: string) => value }

function numbered(value: number): Uint8Array {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32BE(value)
  return new Uint8Array(buffer)
}
const numberIn = (stored: Uint8Array | undefined): number =>
  stored === undefined ? 0 : Buffer.from(stored).readUInt32BE()

/** The event and the row after `head` hold its position. */
const eventOf = (head: number) => ({
  expectedHead: head,
  events: [numbered(head + 1)],
  rows: [{ key: bytes(1), value: numbered(head + 1) }],
})
const beatOf = (count: number) => ({ key: bytes(0x90), value: count === 0 ? null : numbered(count) })
const beatAfter = (count: number) => ({
  expectedRows: [beatOf(count)],
  events: [],
  rows: [beatOf(count + 1)],
  outsideLog: true,
})
