import { beforeAll, describe, expect, it } from 'vitest'
import type { Journal, Row } from '../ports/index.ts'
import { viewRange } from '../views/tables.ts'
import { catchUp, type Progress } from './catch-up.ts'
import { readLog } from '../events/log.ts'
import { hashing, type MemoryPorts, memoryJournal, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'

let ports: MemoryPorts
let total: number

/** So many events that one group is still being committed when the next one reads what the first changed. */
beforeAll(async () => {
  ports = memoryPorts()
  const store = await openEngine(ports)
  await store.buckets.create('plain')
  await store.buckets.create('suspended')
  await store.buckets.setVersioning('suspended', 'Enabled')
  for (let i = 0; i < 300; i++) {
    const key = `k${i % 7}`
    await store.objects.put('plain', key, Buffer.from(String(i)))
    await store.objects.put('suspended', key, Buffer.from(String(i)))
    if (i === 40) await store.buckets.setVersioning('suspended', 'Suspended')
    if (i % 5 === 0) await store.objects.delete('suspended', key)
    if (i % 11 === 0) await store.objects.copy({ bucket: 'plain', key }, 'plain', `copy${i}`)
  }
  await store.close()
  total = ports.journal.log.length
})

/** A journal whose commits take as long as `pause` does. */
const slow = (pause: () => Promise<unknown>): Journal & { readonly inFlight: () => number } => {
  const journal = memoryJournal()
  let inFlight = 0
  return {
    ...journal,
    inFlight: () => inFlight,
    async commit(commit) {
      expect(++inFlight).toBe(1)
      await pause()
      await journal.commit({ ...commit, expectedHead: 0 })
      inFlight--
    },
  }
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function viewsOf(journal: Journal): Promise<readonly Row[]> {
  const cursor = journal.cursor(viewRange)
  const rows = await cursor.next(1_000_000)
  await cursor.close()
  return rows
}

describe('making views from the log', () => {
  it('gives the rows that were made as the events came, byte for byte, while groups are still being committed', async () => {
    const views = slow(async () => {
      for (let i = 0; i < 50; i++) await tick()
    })
    const reported: Progress[] = []
    const onProgress = (progress: Progress) => void reported.push(progress)
    await catchUp({ log: ports.journal, views, hashing, from: 1, to: total, onProgress })
    expect(total).toBeGreaterThan(600)
    expect(reported.length).toBeGreaterThan(2)
    expect(reported.at(-1)).toEqual({ done: total, total })
    expect(await viewsOf(views)).toEqual(await viewsOf(ports.journal))
  })

  it('reads the rows that a journal of others has together, for many events at a time', async () => {
    const journal = memoryJournal()
    const questions = { alone: 0, together: 0 }
    const views: Journal = {
      ...journal,
      exclusive: false,
      commit: (commit) => journal.commit({ ...commit, expectedHead: 0 }),
      get: (key) => (questions.alone++, journal.get(key)),
      getMany: (keys) => (questions.together++, journal.getMany(keys)),
    }
    await catchUp({ log: ports.journal, views, hashing, from: 1, to: total })
    expect(questions.together).toBeGreaterThan(0)
    expect(questions.together + questions.alone).toBeLessThan(total / 10)
    expect(await viewsOf(views)).toEqual(await viewsOf(ports.journal))
    questions.together = 0
    await catchUp({ log: ports.journal, views: { ...views, exclusive: true }, hashing, from: 1, to: total })
    expect(questions.together).toBe(0)
  })

  it('fails when a commit fails, and begins no other', async () => {
    let commits = 0
    const views = slow(async () => {
      if (++commits === 2) throw new Error('No more.')
    })
    await expect(catchUp({ log: ports.journal, views, hashing, from: 1, to: total })).rejects.toThrow('No more.')
    expect(commits).toBe(2)
  })

  it('has nothing under way when it was aborted', async () => {
    const abort = new AbortController()
    const views = slow(async () => {
      abort.abort(new Error('Enough.'))
      for (let i = 0; i < 50; i++) await tick()
    })
    const making = catchUp({ log: ports.journal, views, hashing, from: 1, to: total, signal: abort.signal })
    await expect(making).rejects.toThrow('Enough.')
    expect(views.inFlight()).toBe(0)
  })
})

describe('reading the log', () => {
  it('gives every event before one that is damaged', async () => {
    const damaged = {
      async *events() {
        for await (const stored of ports.journal.events())
          yield stored.seq === 100 ? { seq: 100, bytes: stored.bytes.map((byte) => byte ^ 1) } : stored
      },
    }
    let seen = 0
    const reading = async () => {
      for await (const { event } of readLog({ journal: damaged, hashing }, { to: total }))
        expect(event.seq).toBe(++seen)
    }
    await expect(reading()).rejects.toMatchObject({ code: 'LogCorrupt', details: { seq: 100, kind: 'checksum' } })
    expect(seen).toBe(99)
  })
})
