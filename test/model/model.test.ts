import { memoryBlobs, memoryJournal, nodeHashing, randomIds } from '@varve/adapters'
import { openEngine, type Store, viewRange } from '@varve/core'
import type { Journal, Row } from '@varve/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectSame } from './compare.ts'
import { randomFrom, runSession, type Session } from './session.ts'

const seed = Number(process.env['VARVE_SEED'] ?? 20_260_101)
const steps = 1500
const positions = 1000
const forever = Number.MAX_SAFE_INTEGER

describe(`a mixed session of ${steps} commands, seed ${seed}`, () => {
  let store: Store
  let journal: Journal
  let session: Session

  beforeAll(async () => {
    let time = 1_700_000_000_000
    const clock = { now: () => (time += 1000) }
    journal = await memoryJournal()
    const ports = { journal, blobs: memoryBlobs(), hashing: await nodeHashing(), clock, ids: randomIds }
    // Every body over 64 bytes is a blob of its own, and none is erased: the past can be read whole.
    store = await openEngine(ports, { inlineMax: 64, retentionMs: forever })
    session = await runSession(store, steps, randomFrom(seed))
  })

  it('leaves the store as the model says', async () => {
    await expectSame(store, session.states.at(-1) as (typeof session.states)[0], true)
  })

  it(`reads as the model did, at ${positions} random positions of the past`, async () => {
    const random = randomFrom(seed + 1)
    for (let i = 0; i < positions; i++) {
      const seq = Math.floor(random() * session.states.length)
      await expectSame(await store.at(seq), session.states[seq] as (typeof session.states)[0], i % 20 === 0)
    }
  }, 240_000)

  it('finds the same position by time as by number', async () => {
    for await (const event of store.log({ from: 1, to: 200 })) {
      expect((await store.at(new Date(event.at))).seq).toBe(event.seq)
    }
  })

  it('makes the same rows again in an empty store, byte for byte', async () => {
    const other = await memoryJournal()
    await store.replay(other)
    expect(await rows(other)).toEqual(await rows(journal))
  })

  it('verifies', async () => {
    expect(await store.verify({ scratch: await memoryJournal() })).toMatchObject({ ok: true, divergences: [] })
  })
})

async function rows(journal: Journal): Promise<string[]> {
  const cursor = journal.cursor(viewRange)
  const hex = ([key, value]: Row) => `${Buffer.from(key).toString('hex')} ${Buffer.from(value).toString('hex')}`
  const found: string[] = []
  for (let page = await cursor.next(1000); page.length > 0; page = await cursor.next(1000)) found.push(...page.map(hex))
  await cursor.close()
  return found
}
