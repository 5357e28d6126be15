import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../api/answers.fixture.ts'
import { memoryJournal, type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { giveTurns, type Turns } from '../api/turns.fixture.ts'
import type { Commit } from '../ports/index.ts'

let ports: MemoryPorts
let turns: Turns
let stores: readonly [Store, Store]

beforeEach(async () => {
  ports = memoryPorts()
  ports.journal.exclusive = false
  turns = giveTurns(ports.journal)
  stores = [await openEngine(ports, {}), await openEngine(ports, {})]
  await stores[0].buckets.create('box')
})

const putByBoth = (from: number, to: number): Promise<unknown> =>
  Promise.all(
    Array.from({ length: to - from }, (_, i) =>
      stores[i % 2 === 0 ? 0 : 1].objects.put('box', `k${from + i}`, String(from + i)),
    ),
  )

/** Attempts to commit that the journal refused. */
function countRefusals(): () => number {
  let refused = 0
  const { commit } = ports.journal
  ports.journal.commit = (given: Commit) =>
    commit(given).catch((error: unknown) => {
      refused++
      throw error
    })
  return () => refused
}

describe('engines that append to one log', () => {
  it('take no turns while one of them writes', async () => {
    for (let i = 0; i < 5; i++) await stores[0].objects.put('box', 'k', String(i))
    expect(turns.taken).toBe(0)
  })

  it('take turns after a conflict, and meet no more of them', async () => {
    await putByBoth(0, 2)
    const refusals = countRefusals()
    for (let round = 1; round < 20; round++) await putByBoth(round * 10, round * 10 + 10)
    expect(refusals()).toBe(0)
    expect(turns.taken).toBeGreaterThan(20)
    for (const store of stores) expect((await store.objects.listPage('box')).entries).toHaveLength(192)
    expect(await stores[1].verify({ scratch: memoryJournal() })).toMatchObject({ ok: true })
  })

  it('decide in their turn what the turns before have changed', async () => {
    await putByBoth(0, 2)
    const { etag } = await stores[0].objects.put('box', 'k', 'old')
    const updates = Array.from({ length: 10 }, (_, i) =>
      codeOf(stores[i % 2 === 0 ? 0 : 1].objects.put('box', 'k', `new ${i}`, { ifMatch: etag })),
    )
    const codes = await Promise.all(updates)
    expect(codes.filter((code) => code === 'PreconditionFailed')).toHaveLength(9)
  })

  it('decide again without a turn when they have lost it', async () => {
    await putByBoth(0, 2)
    const { getMany } = ports.journal
    let losses = 0
    ports.journal.getMany = async (keys) => {
      if (losses++ < 3) turns.lose()
      return getMany(keys)
    }
    await putByBoth(2, 12)
    expect(losses).toBeGreaterThan(3)
    expect((await stores[1].objects.listPage('box')).entries).toHaveLength(12)
    for (const { state } of stores) expect(state).toBe('open')
  })

  it('give their turn back when nothing is to be committed', async () => {
    await putByBoth(0, 2)
    expect(await codeOf(stores[0].objects.put('box', 'k0', 'x', { ifNoneMatch: '*' }))).toBe('PreconditionFailed')
    await stores[1].objects.put('box', 'k', 'v')
    expect(turns.taken).toBeGreaterThan(0)
  })

  it('commit without a turn when there is none to get', async () => {
    await putByBoth(0, 2)
    ports.journal.hold = () => Promise.reject(new Error('too many connections'))
    await putByBoth(2, 12)
    expect((await stores[0].objects.listPage('box')).entries).toHaveLength(12)
  })
})
