import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../api/answers.fixture.ts'
import { memoryJournal, type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import type { Commit } from '../ports/index.ts'

const events = 600
let ports: MemoryPorts

const turn = () => new Promise(setImmediate)
const isOfViews = ({ events: added, outsideLog }: Commit): boolean => added.length === 0 && outsideLog !== true

beforeEach(() => {
  ports = memoryPorts()
  ports.journal.exclusive = false
})

/** Two engines. The first one is gone after it dropped the views and computed a part of them. */
async function openAfterPartOfViews(): Promise<Store> {
  const [one, two] = [await openEngine(ports), await openEngine(ports)]
  await one.buckets.create('box')
  for (let i = 1; i < events; i++) await one.objects.put('box', `k${i}`, 'v')
  const { commit } = ports.journal
  let commits = 0
  ports.journal.commit = async (given: Commit) => {
    if (isOfViews(given) && ++commits > 2) throw new Error('gone')
    return commit(given)
  }
  await codeOf(one.rebuild())
  await one.close().catch(() => undefined)
  ports.journal.commit = commit
  return two
}

/** Lets each commit take some turns, and counts the most commits of views that ran at once. */
function slowCommits(turns: number) {
  const { commit } = ports.journal
  let running = 0
  const commits = { most: 0, restore: () => void (ports.journal.commit = commit) }
  ports.journal.commit = async (given: Commit) => {
    const count = isOfViews(given) ? 1 : 0
    commits.most = Math.max(commits.most, (running += count))
    for (let i = 0; i < turns; i++) await turn()
    await commit(given)
    running -= count
  }
  return commits
}

describe('views that an engine left incomplete', () => {
  it('are completed by one computation, however many reads and writes need them', async () => {
    const store = await openAfterPartOfViews()
    const commits = slowCommits(3)
    const reads = Array.from({ length: 6 }, async (_, i) => {
      for (let turns = 0; turns < i; turns++) await turn()
      return (await store.objects.listPage('box', { limit: 1000 })).entries.length
    })
    const writing = store.objects.put('box', 'k1', 'w')
    expect(await Promise.all(reads)).toEqual(reads.map(() => events - 1))
    await writing
    expect(commits.most).toBe(1)
    commits.restore()
    expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ ok: true })
  })

  it('are not computed by a read while this engine rebuilds them', async () => {
    const store = await openAfterPartOfViews()
    const commits = slowCommits(1)
    const reading = store.objects.listPage('box', { limit: 1000 })
    const rebuilding = store.rebuild()
    expect((await reading).entries).toHaveLength(events - 1)
    await rebuilding
    expect(commits.most).toBe(1)
    commits.restore()
    expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ ok: true })
  })
})

describe('a journal that lost acknowledged events while it was open', () => {
  it('stops the store, for reads and for writes', async () => {
    const one = await openEngine(ports)
    await one.buckets.create('box')
    const { log, rows } = ports.journal
    const [events, before] = [log.length, [...rows]]
    await one.objects.put('box', 'k', 'v')
    const isCoordination = (name: string) => name.charCodeAt(0) >= 0x90
    for (const name of rows.keys()) if (!isCoordination(name)) rows.delete(name)
    for (const [name, row] of before) if (!isCoordination(name)) rows.set(name, row)
    log.length = events
    expect(await codeOf(one.objects.listPage('box'))).toBe('StoreFailed')
    expect(await codeOf(one.objects.put('box', 'k', 'v'))).toBe('StoreFailed')
    expect(one.state).toBe('failed')
  })
})

describe('reads of a shared journal', () => {
  it('wait for at most one group of commits, however many commands wait', async () => {
    const store = await openEngine(ports, { groupMax: 1 })
    await store.buckets.create('box')
    const { commit } = ports.journal
    let commits = 0
    let committedBefore: number | undefined
    let reading: Promise<unknown> | undefined
    ports.journal.commit = async (given: Commit) => {
      await turn()
      await commit(given)
      // The read sees a commit that the writer does not know yet.
      if (++commits === 10) reading = store.objects.listPage('box').then(() => (committedBefore = commits))
      for (let i = 0; i < 5; i++) await turn()
    }
    await Promise.all(Array.from({ length: 100 }, (_, i) => store.objects.put('box', `k${i}`, 'v')))
    await reading
    expect(committedBefore).toBeLessThan(15)
  })
  it('do not wait for a command that other engines overtake all the time', async () => {
    const [slow, fast] = [await openEngine(ports), await openEngine(ports)]
    await fast.buckets.create('box')
    const { commit } = ports.journal
    let overtaken = 0
    let isOfFast = false
    let reading: Promise<number> | undefined
    ports.journal.commit = async (given: Commit) => {
      if (given.events.length > 0 && !isOfFast && overtaken < 50) {
        isOfFast = true
        await fast.objects.put('box', 'k', `v${++overtaken}`)
        isOfFast = false
        // The read sees a commit that this engine does not know yet.
        if (overtaken === 5) reading = slow.objects.listPage('box').then(() => overtaken)
        for (let i = 0; i < 5; i++) await turn()
      }
      return commit(given)
    }
    await slow.objects.put('box', 'late', 'v')
    expect(await reading).toBeLessThan(10)
  })
})
