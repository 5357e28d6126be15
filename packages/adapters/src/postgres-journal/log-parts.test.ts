/** The parts of a log in PostgreSQL: made ahead, used by the planner alone, and moved while the store is in use. */
import { mkdirSync, chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { rowsOf } from './pg-client.ts'
import type { PostgresJournal } from './postgres-journal.ts'
import { postgresOfTests } from './postgres-of-tests.fixture.ts'
import { asUser, noPostgres } from './postgres-server.fixture.ts'
import { schemaName } from './schema-name.ts'
import { statementsOf } from './statements.ts'

const partEvents = 1000

function numbered(value: number): Uint8Array {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32BE(value)
  return new Uint8Array(buffer)
}

/** Events that hold their positions. */
const commitOf = (expectedHead: number, count: number) => ({
  expectedHead,
  events: Array.from({ length: count }, (_, i) => numbered(expectedHead + i + 1)),
  rows: [{ key: numbered(0), value: numbered(expectedHead + count) }],
})

// It needs a server: the tests of the contract print why there is none.
describe.skipIf(noPostgres !== undefined)('the parts of a log in PostgreSQL', () => {
  const tests = postgresOfTests()
  let schemas = 0

  const freshSchema = () => `parts_${++schemas}`
  const opened = (schema: string): Promise<PostgresJournal> => tests.opened({ schema, partEvents })
  const partsOf = async (schema: string): Promise<readonly string[]> =>
    (
      await tests.admin.run(
        `SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = '${schema}.events'::regclass`,
      )
    )
      .map(([name]) => name ?? '')
      .sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
  async function positions(journal: PostgresJournal, from = 1): Promise<number[]> {
    const seen: number[] = []
    for await (const { seq, bytes } of journal.events({ from })) {
      expect(Buffer.from(bytes).readUInt32BE()).toBe(seq)
      seen.push(seq)
    }
    return seen
  }

  it('are made a part ahead, also for commits that reach over several of them', async () => {
    const schema = freshSchema()
    const journal = await opened(schema)
    expect(await partsOf(schema)).toEqual(['events_0', 'events_1000'])
    await journal.commit(commitOf(0, 990))
    expect(await partsOf(schema)).toEqual(['events_0', 'events_1000'])
    await journal.commit(commitOf(990, 80))
    expect(await partsOf(schema)).toEqual(['events_0', 'events_1000', 'events_2000'])
    await journal.commit(commitOf(1070, 3430))
    const ends = ['events_3000', 'events_4000', 'events_5000']
    expect(await partsOf(schema)).toEqual(['events_0', 'events_1000', 'events_2000', ...ends])
    const held = await journal.hold?.()
    await held?.commit(commitOf(4500, 600))
    expect((await partsOf(schema)).at(-1)).toBe('events_6000')
    expect(await positions(journal)).toEqual(Array.from({ length: 5100 }, (_, i) => i + 1))
    expect((await positions(await opened(schema), 1999)).length).toBe(5100 - 1998)
    const counts = await tests.admin.run(`SELECT count(*) FROM ${schema}.events_2000 WHERE seq BETWEEN 2000 AND 2999`)
    expect(counts).toEqual([['1000']])
  })

  it('are read by no more than the events of a page, the head and an opening need', async () => {
    const schema = freshSchema()
    const journal = await opened(schema)
    for (let head = 0; head < 20_000; head += 2500) await journal.commit(commitOf(head, 2500))
    const { events, head, lastFrom } = statementsOf(schemaName(schema))
    const client = await tests.admin.connect()
    const planOf = async (text: string, values: readonly unknown[]): Promise<readonly string[]> => {
      const plan = (await rowsOf(client, `EXPLAIN ${text}`, values)).map(([line]) => line ?? '').join('\n')
      return [...new Set([...plan.matchAll(/ on (events_\d+)/g)].map(([, name = '']) => name))].sort()
    }
    try {
      expect(await planOf(head, [])).toEqual([])
      expect(await planOf(events, [3500, 3500 + 1023, 1024, 2 ** 20])).toEqual(['events_3000', 'events_4000'])
      expect(await planOf(lastFrom, [20_000])).toEqual(['events_20000', 'events_21000'])
    } finally {
      client.release(true)
    }
  })

  it('do not end a log where events are missing', async () => {
    const schema = freshSchema()
    const journal = await opened(schema)
    await journal.commit(commitOf(0, 3500))
    await tests.admin.run(`DELETE FROM ${schema}.events WHERE seq BETWEEN 501 AND 2600`)
    const seen = await positions(journal)
    expect([seen.length, seen[500]]).toEqual([1400, 2601])
  })

  it('are made later if another user of the database prevents it', async () => {
    const schema = freshSchema()
    const journal = await opened(schema)
    await journal.commit(commitOf(0, 990))
    const holder = await tests.admin.connect()
    await rowsOf(holder, `BEGIN; LOCK TABLE ${schema}.events IN SHARE UPDATE EXCLUSIVE MODE`)
    await journal.commit(commitOf(990, 20))
    expect((await partsOf(schema)).at(-1)).toBe('events_1000')
    // The part is there, and the next one is not.
    await journal.commit(commitOf(1010, 900))
    await expect(journal.commit(commitOf(1910, 100))).rejects.toMatchObject({
      code: 'JournalFailed',
      details: { kind: '55P03' },
    })
    await rowsOf(holder, 'ROLLBACK')
    holder.release(true)
    await journal.commit(commitOf(1910, 100))
    expect((await partsOf(schema)).at(-1)).toBe('events_3000')
    expect((await positions(journal)).length).toBe(2010)
  })

  it('move to another tablespace while commits and reads go on', async () => {
    const schema = freshSchema()
    const journal = await opened(schema)
    await journal.commit(commitOf(0, 2500))
    const folder = mkdtempSync(join(tmpdir(), 'pg-cold-'))
    const place = join(folder, 'space')
    mkdirSync(place)
    const { uid, gid } = asUser
    for (const path of [folder, place]) if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
    await tests.admin.run(`CREATE TABLESPACE cold LOCATION '${place}'`)
    const mover = await tests.admin.connect()
    try {
      await rowsOf(mover, `BEGIN; ALTER TABLE ${schema}.events_0 SET TABLESPACE cold`)
      await rowsOf(mover, `ALTER INDEX ${schema}.events_0_pkey SET TABLESPACE cold`)
      await journal.commit(commitOf(2500, 10))
      expect((await positions(journal, 1000)).length).toBe(1511)
      // An opening needs only the end of the log.
      const another = await opened(schema)
      expect(await another.head()).toBe(2510)
      const waiting = positions(another)
      await another.commit(commitOf(2510, 10))
      await rowsOf(mover, 'COMMIT')
      expect((await waiting).length).toBeGreaterThanOrEqual(2510)
      const spaces = `SELECT count(*) FROM pg_class JOIN pg_tablespace AS space ON space.oid = reltablespace
        WHERE spcname = 'cold' AND relname LIKE 'events_0%'`
      expect(await tests.admin.run(spaces)).toEqual([['2']])
    } finally {
      mover.release(true)
      await tests.admin.run(`DROP SCHEMA ${schema} CASCADE`, 'DROP TABLESPACE cold')
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
