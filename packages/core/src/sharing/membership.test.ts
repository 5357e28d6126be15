import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import { StorageError } from '../base/errors.ts'
import { ActiveReads } from '../content/active-reads.ts'
import type { Commit } from '../ports/index.ts'
import { beatTable, leaseTable, markTable } from './coordination-rows.ts'
import { Membership, membershipMs } from './membership.ts'
import { sharedEngine } from './shared-engines.ts'
import type { Sharing } from './sharing.ts'

let ports: MemoryPorts

beforeEach(() => {
  ports = memoryPorts()
  ports.journal.exclusive = false
})

const join = (floor = () => 7): Promise<Membership> => Membership.join(ports, floor, () => undefined)
const idsOf = async (membership: Membership) => (await membership.others()).map(({ engine }) => engine)
const nameOf = (key: Uint8Array): string => Buffer.from(key).toString('latin1')

/** Changes bytes of a stored row, so that its checksum is wrong. */
function damage(key: Uint8Array): void {
  const [, value] = ports.journal.rows.get(nameOf(key)) ?? []
  ports.journal.rows.set(nameOf(key), [key, (value as Uint8Array).map((byte) => byte ^ 1)])
}

/** Looks at the others at intervals, while some of them show that they work. */
async function watch(watcher: Membership, working: readonly Membership[], looks: number, ms: number): Promise<void> {
  for (let look = 0; look < looks; look++) {
    ports.clock.time += ms
    for (const one of [watcher, ...working]) await one.beat()
    await watcher.others()
  }
}

describe('a member that no longer works', () => {
  it.each([1, 4, 20])('is removed, if others work and are looked at every %i thirds of the time', async (thirds) => {
    const members = [await join(), await join(), await join(), await join()] as const
    const [early, dead, late, watcher] = members
    await watch(watcher, [early, late], 12, (thirds * membershipMs) / 3)
    expect(await idsOf(watcher)).toEqual([early.id, late.id])
    expect(await codeOf(dead.change([], []))).toBe('JournalConflict')
  })

  it('is removed although its beat row is damaged or missing', async () => {
    const [damaged, bare, watcher] = [await join(), await join(), await join()]
    damage(beatTable.key(damaged.id).bytes)
    ports.journal.rows.delete(nameOf(beatTable.key(bare.id).bytes))
    expect(await watcher.others()).toEqual([
      { engine: damaged.id, floor: 0 },
      { engine: bare.id, floor: 0 },
    ])
    await watch(watcher, [], 2, membershipMs * 0.6)
    expect(await watcher.others()).toEqual([])
  })

  it('is removed by the time of its beats, if the clock of the journal was ten years ahead when it joined', async () => {
    const year = 365 * 86_400_000
    let now = 20 * year
    ports.journal.now = async () => now
    const dead = await join()
    now -= 10 * year
    const watcher = await join()
    expect(await idsOf(watcher)).toEqual([dead.id])
    await watch(watcher, [], 3, membershipMs * 0.6)
    expect(await idsOf(watcher)).toEqual([])
  })
})

describe('an engine that cannot write its witness', () => {
  it('closes, and leaves no membership behind', async () => {
    let isBroken = false
    const witness = {
      read: async () => undefined,
      write: async () => {
        if (isBroken) throw new Error('no room')
      },
    }
    const store = await openEngine({ ...ports, witness })
    isBroken = true
    await store.buckets.create('box')
    await store.close()
    expect(await (await join()).others()).toEqual([])
  })
})

describe('the floor of an engine', () => {
  it('counts as published while the beat is on its way, so that a read of the past lowers it first', async () => {
    const reads = new ActiveReads()
    const reader = await sharedEngine(ports, () => Math.min(reads.oldest, 9))
    const sweeper = await sharedEngine(ports, () => 9)
    const { commit } = ports.journal
    const arrived = new Promise<() => void>((resolve) => {
      ports.journal.commit = async (given: Commit) => {
        ports.journal.commit = commit
        await new Promise<void>((go) => resolve(go))
        return commit(given)
      }
    })
    const beating = reader.beat()
    const go = await arrived
    reads.begin(2)
    const isProtected = reader.protect(2)
    go()
    await Promise.all([beating, isProtected])
    expect(await horizonOf(sweeper, 9)).toBe(2)
  })
})

const horizonOf = (sharing: Sharing, upTo: number): Promise<number> =>
  sharing.alone('erasure', () => sharing.erasing(upTo, async (horizon) => horizon))

/** Lets the journal fail after some commits, so that a loop without an end ends. */
function failAfter(commits: number, conflict?: () => Error): void {
  const { commit } = ports.journal
  let count = 0
  ports.journal.commit = async (given: Commit) => {
    if (++count > commits) throw new Error('tried for ever')
    if (conflict !== undefined) throw conflict()
    return commit(given)
  }
}

describe('damaged rows of coordination', () => {
  it('do not keep a lease from an engine, and a holder that was replaced cannot commit', async () => {
    const [one, two] = [await sharedEngine(ports, () => 0), await sharedEngine(ports, () => 0)]
    await one.alone('erasure', async () => {
      damage(leaseTable.key('erasure').bytes)
      await two.alone('erasure', async () => undefined)
      const expectedRows = one.fence('erasure')
      const late = ports.journal.commit({ expectedRows, events: [], rows: [] })
      expect(await codeOf(late)).toBe('JournalConflict')
    })
  })

  it('keep a blob whose mark is damaged', async () => {
    const [one, two] = [await sharedEngine(ports, () => 0), await sharedEngine(ports, () => 0)]
    await one.marks.add('b')
    damage(markTable.key('b').bytes)
    await two.clearStaleMarks()
    expect(await two.marks.has('b')).toBe(true)
  })
})

describe('marks', () => {
  it('are refused by an engine that has left', async () => {
    const one = await sharedEngine(ports, () => 0)
    await one.leave()
    failAfter(50)
    expect(await codeOf(Promise.resolve(one.marks.add('b')))).toBe('StoreClosed')
  })

  it('are refused, not tried for ever, by a journal that conflicts without a cause', async () => {
    const one = await sharedEngine(ports, () => 0)
    failAfter(50, () => new StorageError('JournalConflict', 'For no reason.'))
    expect(await codeOf(Promise.resolve(one.marks.add('b')))).toBe('JournalConflict')
  })

  it('are removed with a later beat, if the journal failed at the first one', async () => {
    const one = await sharedEngine(ports, () => 0)
    await one.marks.add('b')
    one.marks.delete('b')
    const { commit } = ports.journal
    ports.journal.commit = async (): Promise<void> => {
      throw new Error('unreachable')
    }
    await codeOf(one.beat())
    ports.journal.commit = commit
    await one.beat()
    const isMark = ([name]: readonly [string, unknown]) => name.startsWith(nameOf(markTable.range.gte))
    expect([...ports.journal.rows].filter(isMark)).toEqual([])
  })
})
