import { memoryBlobs, memoryJournal, nodeHashing, randomIds } from '@varve/adapters'
import { openEngine, type Store, viewRange } from '@varve/core'
import type { Journal, Row } from '@varve/core'
import type { ModelState } from '@varve/core/model'
import { beforeAll, describe, expect, it } from 'vitest'
import { bindingsOf } from './bindings.ts'
import { differences } from './compare.ts'
import { randomFrom, runSession, type Session } from './session.ts'

const seed = Number(process.env['VARVE_SEED'] ?? 20_260_101)
const steps = 1500
const positions = Number(process.env['VARVE_POSITIONS'] ?? 200)
const forever = Number.MAX_SAFE_INTEGER

async function runRandomSession(retentionMs: number): Promise<{ store: Store; journal: Journal; session: Session }> {
  let time = 1_700_000_000_000
  const clock = { now: () => (time += 1000) }
  const journal = await memoryJournal()
  const ports = { journal, blobs: memoryBlobs(), hashing: await nodeHashing(), clock, ids: randomIds }
  // Every body over 64 bytes is a blob of its own.
  const store = await openEngine(ports, { inlineMax: 64, retentionMs })
  return { store, journal, session: await runSession(store, steps, randomFrom(seed)) }
}

describe(`a mixed session of ${steps} commands that keeps nothing longer than it must, seed ${seed}`, () => {
  it('has every byte of what is there, and no byte of what is not', async () => {
    const { store, session } = await runRandomSession(0)
    await store.sweep()
    expect(await differences(store, lastOf(session), session.bindings)).toEqual([])
    expect(await store.verify({ scratch: await memoryJournal() })).toMatchObject({ ok: true, divergences: [] })
  })
})

describe(`a mixed session of ${steps} commands, seed ${seed}`, () => {
  let store: Store
  let journal: Journal
  let session: Session

  beforeAll(async () => {
    // None is erased: the past can be read whole.
    ;({ store, journal, session } = await runRandomSession(forever))
  })

  it('leaves the store as the model says', async () => {
    expect(await differences(store, lastOf(session), session.bindings)).toEqual([])
  })

  it('finds in the log what every command made', async () => {
    expect(await differences(store, lastOf(session), await bindingsOf(store))).toEqual([])
  })

  it(`reads as the model did, at ${positions} random positions of the past`, async () => {
    const random = randomFrom(seed + 1)
    for (let i = 0; i < positions; i++) {
      const seq = Math.floor(random() * session.states.length)
      const state = session.states[seq] as ModelState
      const options = { bytes: i % 20 === 0 }
      expect(await differences(await store.at(seq), state, session.bindings, options), `at ${seq}`).toEqual([])
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

const lastOf = ({ states }: Session): ModelState => states.at(-1) as ModelState

async function rows(journal: Journal): Promise<string[]> {
  const cursor = journal.cursor(viewRange)
  const hex = ([key, value]: Row) => `${Buffer.from(key).toString('hex')} ${Buffer.from(value).toString('hex')}`
  const found: string[] = []
  for (let page = await cursor.next(1000); page.length > 0; page = await cursor.next(1000)) found.push(...page.map(hex))
  await cursor.close()
  return found
}
