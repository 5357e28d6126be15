import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../api/answers.fixture.ts'
import { memoryJournal, type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { StorageError } from '../base/errors.ts'
import type { Commit, Journal } from '../ports/index.ts'
import { DoubtfulCommits } from '../engine/doubtful-commits.ts'
import { membershipMs } from './membership.ts'
import { sharedEngine } from './shared-engines.ts'

const long = 'v'.repeat(1000)
const options = { inlineMax: 64 }

let ports: MemoryPorts
/** An engine whose connection to the journal breaks, and another one. */
let one: Store
let two: Store

type Send = (commit: Commit) => Promise<void>

/** What happens to the next commits of events of the first engine: the connection breaks after each. */
let broken: ((send: () => Promise<void>, commit: Commit) => Promise<void> | void)[]
/** Called before each call of the first engine after its connection broke. */
let onCall: () => Promise<void> | void

const lost = (): StorageError => new StorageError('JournalFailed', 'The connection broke.')

function breakable(): Journal {
  const { journal } = ports
  let isBroken = false
  const calling =
    <G extends unknown[], R>(call: (...given: G) => R | Promise<R>) =>
    async (...given: G): Promise<R> => {
      if (isBroken) await onCall()
      return call(...given)
    }
  const commit: Send = async (given) => {
    const fate = given.events.length > 0 ? broken.shift() : undefined
    if (fate === undefined) return journal.commit(given)
    await fate(() => journal.commit(given), given)
    isBroken = true
    throw lost()
  }
  return {
    ...journal,
    recovers: true,
    commit: calling(commit),
    head: calling(journal.head),
    get: calling(journal.get) as Journal['get'],
    getMany: calling(journal.getMany),
    snapshot: calling(journal.snapshot),
  }
}

const versionsOf = async (key: string): Promise<number> =>
  (await two.versions.listPage('box', { prefix: key })).entries.length

async function expectSound(): Promise<void> {
  expect(one.state).toBe('open')
  for (const store of [one, two])
    expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({
      ok: true,
      events: ports.journal.log.length,
    })
}

beforeEach(async () => {
  broken = []
  onCall = () => undefined
  ports = memoryPorts()
  ports.journal.exclusive = false
  one = await openEngine({ ...ports, journal: breakable() }, options)
  two = await openEngine(ports, options)
  await one.buckets.create('box')
  await one.buckets.setVersioning('box', 'Enabled')
  await one.objects.put('box', 'old', 'v')
})

describe('a commit whose outcome is unknown', () => {
  it('is acknowledged if the log has it', async () => {
    broken.push((send) => send())
    const { seq } = await one.objects.put('box', 'k', 'v')
    expect(seq).toBe(ports.journal.log.length)
    expect(await versionsOf('k')).toBe(1)
    await expectSound()
  })

  it('is sent again if the server never had it', async () => {
    broken.push(() => undefined)
    await one.objects.put('box', 'k', 'v')
    expect(await versionsOf('k')).toBe(1)
    await expectSound()
  })

  it('is acknowledged although other engines have committed after it', async () => {
    broken.push(async (send) => {
      await send()
      for (let i = 0; i < 3; i++) await two.objects.put('box', 'other', 'v')
    })
    expect((await one.objects.put('box', 'k', 'v')).seq).toBe(ports.journal.log.length - 3)
    expect(await versionsOf('k')).toBe(1)
    await expectSound()
  })

  it('is decided again if another engine was first', async () => {
    broken.push(() => two.objects.put('box', 'k', 'theirs').then(() => undefined))
    expect(await codeOf(one.objects.put('box', 'k', 'mine', { ifNoneMatch: '*' }))).toBe('PreconditionFailed')
    expect(await versionsOf('k')).toBe(1)
    await expectSound()
  })

  it('is carried out once, however late it arrives at the server', async () => {
    const outcomes = new Set<string>()
    for (let moment = 1; moment <= 40; moment++) {
      let calls = 0
      let late: Promise<string> | undefined
      const key = `k${moment}-`
      const theirs = moment % 2 === 0
      broken.push((send) => {
        onCall = async () => {
          calls++
          if (theirs && calls === moment >> 1) await two.objects.put('box', 'other', `${moment}`)
          if (calls === moment)
            late = send().then(
              () => 'late',
              (error: StorageError) => error.code,
            )
          await late
        }
      })
      const [put] = await Promise.all([one.objects.put('box', key, 'v'), one.objects.put('box', `${key}also`, 'v')])
      while (calls < moment) await one.objects.put('box', 'more', 'v')
      outcomes.add(String(await late))
      expect(await versionsOf(key)).toBe(2)
      expect((await two.objects.head('box', key)).versionId).toBe(put.versionId)
    }
    // Both have happened: the commit arrived before the fence, and after it.
    expect([...outcomes].sort()).toEqual(['JournalConflict', 'late'])
    await expectSound()
  }, 20_000)

  it('is carried out once if it is the first one of a log', async () => {
    for (let moment = 1; moment <= 8; moment++) {
      ports = memoryPorts()
      ports.journal.exclusive = false
      const first = await openEngine({ ...ports, journal: breakable() }, options)
      let calls = 0
      broken.push((send) => {
        onCall = async () => {
          if (++calls === moment) await send().catch(() => undefined)
        }
      })
      await first.buckets.create('box')
      expect(ports.journal.log).toHaveLength(1)
      onCall = () => undefined
      await first.close()
    }
  })

  it('is found although the connection breaks again and again', async () => {
    for (let breaks = 1; breaks <= 3; breaks++) {
      let failures = 0
      broken.push(
        () => {
          onCall = () => {
            if (++failures <= breaks) throw lost()
          }
        },
        (send) => send(),
      )
      await one.objects.put('box', `k${breaks}`, 'v')
      expect(await versionsOf(`k${breaks}`)).toBe(1)
    }
    await expectSound()
  })

  it('is not acknowledged before a later commit has shown that it is durable', async () => {
    let isShown = false
    const { commit } = ports.journal
    ports.journal.commit = async (given) => {
      await commit(given)
      if (given.outsideLog === true) isShown = true
    }
    broken.push(async (send) => {
      await send()
      isShown = false
    })
    await one.objects.put('box', 'k', 'v')
    expect(isShown).toBe(true)
  })

  it('fails the store if it is gone again after it was seen', async () => {
    broken.push((send) => send())
    const { log } = ports.journal
    const { commit } = ports.journal
    const put = one.objects.put('box', 'k', 'v')
    ports.journal.commit = async (given) => {
      await commit(given)
      // A failover takes it back.
      if (given.outsideLog === true) log.pop()
    }
    expect(await codeOf(put)).toBe('StoreFailed')
    expect(one.owner.failure?.cause).toMatchObject({ code: 'AcknowledgedWritesLost' })
  })

  it('can not be carried out any more when its command is refused meanwhile', async () => {
    for (const arrives of ['never', 'before', 'after'] as const) {
      let late: () => Promise<void> = async () => undefined
      broken.push(async (send) => {
        late = send
        // The engine does not work for so long that another one removes its marks.
        await two.sweep({ orphans: true })
        ports.clock.time += membershipMs + 1
        if (arrives === 'before') await send()
        await two.sweep({ orphans: true })
      })
      const outcome = await codeOf(one.objects.put('box', arrives, long))
      expect(outcome).toBe(arrives === 'before' ? 'no error' : 'LeaseLost')
      if (arrives === 'after') expect(await codeOf(late())).toBe('JournalConflict')
      expect(await versionsOf(arrives)).toBe(arrives === 'before' ? 1 : 0)
    }
    await expectSound()
  })
})

describe('a group that is refused while the outcome of its commit is unknown', () => {
  it('ends the membership that the commit expects', async () => {
    const sharing = await sharedEngine(ports, () => 0)
    const { journal, hashing } = ports
    const known = { seq: journal.log.length }
    const doubts = new DoubtfulCommits({ journal, hashing, known, sharing, follow: async () => undefined })
    expect(await doubts.fence()).toBe(true)
    const expectedRows = sharing.fence()
    doubts.add({ seq: known.seq + 1, hash: 'x' }, 'done')
    expect(await doubts.settled()).toBeUndefined()
    expect([doubts.isEmpty, await doubts.fence()]).toEqual([false, false])
    expect(await codeOf(journal.commit({ expectedRows, events: [], rows: [] }))).toBe('JournalConflict')
    expect(await codeOf(journal.commit({ expectedRows: sharing.fence(), events: [], rows: [] }))).toBe('no error')
    expect(await doubts.settled()).toBeUndefined()
    expect([doubts.isEmpty, await doubts.fence()]).toEqual([true, true])
  })
})

describe('a journal that recovers and does not for long', () => {
  it('stops the writer, and not the reads when it is there again', async () => {
    broken.push((send) => send())
    let isAway = true
    onCall = () => {
      if (isAway) throw lost()
    }
    expect(await codeOf(one.objects.put('box', 'k', 'v'))).toBe('StoreFailed')
    expect(await codeOf(one.objects.head('box', 'old'))).toBe('JournalFailed')
    isAway = false
    await two.objects.put('box', 'later', 'v')
    for (const key of ['k', 'later', 'old']) expect(await (await one.objects.get('box', key)).text()).toBe('v')
    expect(await codeOf(one.objects.put('box', 'k', 'v'))).toBe('StoreFailed')
  })

  it('does not stop the writer if a read fails', async () => {
    broken.push(() => undefined)
    await one.objects.put('box', 'k', 'v')
    let failures = 1
    onCall = () => {
      if (failures-- > 0) throw lost()
    }
    await two.objects.put('box', 'k', 'v')
    await one.objects.head('box', 'k').catch(() => undefined)
    expect(failures).toBeLessThan(1)
    await one.objects.put('box', 'k', 'v')
    await expectSound()
  })
})
