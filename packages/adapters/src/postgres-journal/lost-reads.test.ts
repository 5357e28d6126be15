/** Reads whose connection to the database breaks under them. */
import type { Journal } from '@varve/core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresJournal } from './open-postgres-journal.ts'
import { administrator, noPostgres, type PostgresServer, postgresServer } from './postgres-server.fixture.ts'

const row = { key: Uint8Array.of(1), value: Uint8Array.of(7) }
const failed = { code: 'JournalFailed', details: { kind: '57P01' } }

// It needs a server: the tests of the contract print why there is none.
describe.skipIf(noPostgres !== undefined)('a read whose connection is lost', () => {
  let server: PostgresServer
  let admin: Awaited<ReturnType<typeof administrator>>
  let journal: Journal
  let schema: string
  let schemas = 0

  beforeAll(async () => {
    server = await postgresServer()
    admin = await administrator(server)
  }, 60_000)
  afterEach(() => journal.close())
  afterAll(async () => {
    await admin?.end()
    await server?.remove()
  })

  async function openWithRow(): Promise<void> {
    schema = `lost_${++schemas}`
    journal = await openPostgresJournal({ connection: server.connection, schema, waitMs: 20_000 })
    await journal.commit({ expectedHead: 0, events: [Uint8Array.of(1)], rows: [row] })
  }
  /** Reads of rows and events wait until the lock is released. */
  async function locked(): Promise<() => void> {
    const holder = await admin.connect()
    const text = `BEGIN; LOCK TABLE ${schema}.rows, ${schema}.events`
    await holder.query({ text, rowMode: 'array', types: { getTypeParser: () => (value: string) => value } })
    return () => holder.release(true)
  }
  const waiting = `FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = 'varve'`
  const patience = { interval: 10, timeout: 30_000 }
  const counted = async (from: string): Promise<number> => Number((await admin.run(`SELECT count(*) ${from}`))[0]?.[0])
  /** Ends the connections that wait. They are gone when it resolves, so a later call finds only those that wait then. */
  async function endWaiting(count: number): Promise<void> {
    await expect.poll(() => counted(waiting), patience).toBe(count)
    const ended = await admin.run(`SELECT pid, pg_terminate_backend(pid) ${waiting}`)
    const pids = ended.map(([pid]) => String(pid)).join(', ')
    await expect.poll(() => counted(`FROM pg_stat_activity WHERE pid IN (${pids})`), patience).toBe(0)
  }

  it('is sent again', async () => {
    await openWithRow()
    const release = await locked()
    const reads = Promise.all([journal.get(row.key), journal.getMany([row.key]), firstEvent(journal)])
    await endWaiting(3)
    release()
    expect(await reads).toEqual([row.value, [row.value], Uint8Array.of(1)])
  })

  it('is sent again once only', async () => {
    await openWithRow()
    const release = await locked()
    const read = failureOf(journal.get(row.key))
    for (let time = 0; time < 2; time++) await endWaiting(1)
    expect(await read).toMatchObject(failed)
    release()
    expect(await journal.get(row.key)).toEqual(row.value)
  })

  it('is not sent again if it is one of a snapshot, whose state is lost too', async () => {
    await openWithRow()
    const snapshot = await journal.snapshot()
    const release = await locked()
    const read = failureOf(snapshot.get(row.key))
    await endWaiting(1)
    release()
    expect(await read).toMatchObject(failed)
    await snapshot.close()
  })

  it('waits for a server that is killed, as the beginning of a snapshot does', async () => {
    await openWithRow()
    await (await journal.snapshot()).close()
    await Promise.all([journal.head(), journal.getMany([row.key])])
    // The connections look as if they were there.
    const killed = server.kill()
    const reads = [journal.head(), journal.get(row.key), journal.getMany([row.key])]
    const snapshots = [journal.snapshot(), journal.snapshot({ forWriter: true })]
    const all = Promise.all([...reads, ...snapshots])
    all.catch(() => undefined)
    await killed
    await server.start()
    const [head, value, values, ...held] = await all
    expect([head, value, values]).toEqual([1, row.value, [row.value]])
    for (const each of held) await (each as Awaited<ReturnType<Journal['snapshot']>>).close()
  })
})

const failureOf = (work: unknown): Promise<unknown> => Promise.resolve(work).catch((error: unknown) => error)

async function firstEvent(journal: Journal): Promise<Uint8Array | undefined> {
  for await (const { bytes } of journal.events({ from: 1, to: 1 })) return bytes
  return undefined
}
