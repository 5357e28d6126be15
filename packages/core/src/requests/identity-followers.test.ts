/** Which changes of identities the servers of a process decide by, if other engines can make them. */
import { beforeEach, describe, expect, it } from 'vitest'
import { memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { IdentityFollowers } from './identity-followers.ts'

let ports: MemoryPorts
let one: Store
let other: Store

// Without a timer, no engine looks what others have committed, as in a process that was paused.
beforeEach(async () => {
  ports = memoryPorts()
  ports.journal.exclusive = false
  one = await openEngine(ports)
  other = await openEngine(ports)
})

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
}

/** A server of the other engine, and what it has been asked to decide. */
function serverOf(store: Store) {
  const follower = store.owner.identityFollowers.add()
  const apply = () => follower.applied(store.seq)
  apply()
  return { apply, recent: () => store.owner.identityFollowers.recent() }
}

describe('a server of an engine among several', () => {
  it('decides nothing after a pause before it uses what others have changed', async () => {
    const server = serverOf(other)
    await server.recent()
    await one.identities.create('ann')
    expect(server.recent()).toBeUndefined()
    ports.clock.time += 1001
    let isKnown = false
    const known = server.recent()?.then(() => (isKnown = true))
    await turns()
    expect([other.seq, isKnown]).toEqual([one.seq, false])
    server.apply()
    await known
    expect(server.recent()).toBeUndefined()
  })

  it('refuses requests while the end of the log cannot be read, and then asks again', async () => {
    const server = serverOf(other)
    const { head } = ports.journal
    ports.journal.head = () => Promise.reject(new Error('The database is away.'))
    await expect(server.recent()).rejects.toThrow('away')
    ports.journal.head = head
    await server.recent()
    expect(server.recent()).toBeUndefined()
  })

  it('may decide by what is as old as its reads may be', async () => {
    const stale = await openEngine(ports, { staleMs: 10_000 })
    const server = serverOf(stale)
    await server.recent()
    ports.clock.time += 10_000
    expect(server.recent()).toBeUndefined()
    ports.clock.time += 1
    await server.recent()
  })
})

describe('the question for the end of the log', () => {
  let now: number
  let questions: (() => void)[]
  let followers: IdentityFollowers

  beforeEach(() => {
    now = 0
    questions = []
    const fresh = () => new Promise<void>((resolve) => void questions.push(resolve))
    followers = new IdentityFollowers({ add: () => undefined }, { clock: { monotonic: () => now }, fresh })
  })

  it('is asked once for all requests that wait, and once in a second', async () => {
    for (let second = 1; second <= 3; second++) {
      const asking = Array.from({ length: 50 }, () => followers.recent())
      expect([asking.includes(undefined), questions.length]).toEqual([false, second])
      questions.at(-1)?.()
      await Promise.all(asking.map(async (each) => each))
      expect(followers.recent()).toBeUndefined()
      now += 1001
    }
  })

  it('is asked again for a request that came long after it', async () => {
    const first = followers.recent()
    now = 5000
    let isKnown = false
    const known = followers.recent()?.then(() => (isKnown = true))
    questions[0]?.()
    await first
    await turns()
    expect([isKnown, questions.length]).toEqual([false, 2])
    questions[1]?.()
    await known
  })
})

describe('a server of an engine that is alone', () => {
  it('never asks', async () => {
    const alone = memoryPorts()
    const store = await openEngine(alone)
    const server = serverOf(store)
    for (let i = 0; i < 3; i++) {
      expect(server.recent()).toBeUndefined()
      alone.clock.time += 60_000
    }
  })
})
