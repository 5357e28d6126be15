import { isStorageError, openEngine } from '@varve/core'
import { journalContract } from '@varve/core/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryBlobs } from '../blobs/memory-blobs.ts'
import { nodeHashing } from '../hashing/node-hashing.ts'
import { randomIds } from '../system/random-ids.ts'
import { systemClock } from '../system/system-clock.ts'
import { systemTimer } from '../system/system-timer.ts'
import { twoEngines } from '../two-engines.fixture.ts'
import { openPostgresJournal } from './open-postgres-journal.ts'
import { noPostgres, type PostgresServer, postgresServer } from './postgres-server.fixture.ts'

if (noPostgres !== undefined) console.log(`Skipped: ${noPostgres}`)

// It needs a server. What is opened is a `postgresJournal`.
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

  it('is shared by engines with connections of their own', async () => {
    const schema = `store_${++schemas}`
    const journals = [1, 2, 3].map(() => openPostgresJournal({ connection: server.connection, schema }))
    const blobs = memoryBlobs()
    const hashing = await nodeHashing()
    const machine = { hashing, blobs, clock: systemClock, ids: randomIds, timer: systemTimer }
    const engines = await Promise.all(
      journals.map(async (journal) => openEngine({ ...machine, journal: await journal })),
    )
    await engines[0]?.buckets.create('box')
    const writing = engines.map(async (engine, own) => {
      for (let i = 0; i < 20; i++)
        await engine.objects.put('box', `${i}`, `${own}`, { ifNoneMatch: '*' }).catch(refused)
    })
    await Promise.all(writing)
    for (const engine of engines) {
      expect((await engine.objects.listPage('box')).entries).toHaveLength(20)
      expect(engine.seq).toBe(21)
    }
    expect(await engines[1]?.verify({ views: 'check' })).toMatchObject({ ok: true })
    for (const engine of engines) await engine.close()
    for (const journal of journals) await (await journal).close()
  })
})

const refused = (error: unknown): void => {
  if (!isStorageError(error, 'PreconditionFailed')) throw error
}
