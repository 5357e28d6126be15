import { beforeEach, describe, expect, it } from 'vitest'
import { keyIdsOf } from '../api/data-keys.fixture.ts'
import { hashing, memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { ciphers, testKeyring } from '../encryption/ciphers.fixture.ts'
import { describeKey } from '../views/describe-key.ts'
import type { Jobs } from './jobs.ts'
import { PinnedBytes } from './pinned-bytes.ts'
import type { ReplicaPin } from './replica-pins.ts'

const job = 'replication here'
const other = 'replication there'
const plenty = 1_000_000

let ports: MemoryPorts
let store: Store
let jobs: Jobs

async function open(pins: readonly ReplicaPin[]): Promise<void> {
  store = await openEngine(
    { ...ports, ciphers, keyring: testKeyring('master') },
    { inlineMax: 8 },
    { pins, background: [async (_store, given) => void (jobs = given)] },
  )
}

async function openAgain(pins: readonly ReplicaPin[]): Promise<void> {
  await store.close()
  await open(pins)
}

beforeEach(async () => {
  ports = memoryPorts()
  await open([{ job, maxBytes: plenty }])
  await store.buckets.create('box')
  await jobs.pins.confirm(job, store.seq)
})

/** Puts and deletes again, so that the bytes are due. */
async function remove(key: string, bytes = 100): Promise<void> {
  await store.objects.put('box', key, 'x'.repeat(bytes))
  await store.objects.delete('box', key)
}

const blobs = (): number => ports.blobs.bytes.size
const inlineRows = (): number =>
  [...ports.journal.rows.values()].filter(([key]) => describeKey(key).table === 'inline').length
const pinnedFor = (name: string) => store.jobs.find((status) => status.name === name)?.pinned

/** Sweeps that were started meanwhile have ended too. */
async function swept(): Promise<void> {
  await store.sweep()
  await new Promise((resolve) => setImmediate(resolve))
}

/** The job is in the list once it ran. */
const run = (name: typeof job | typeof other) => jobs.run(name, async () => undefined)

describe('bytes that a replica may lack', () => {
  it('stay until it has the events that freed them: blobs, short bytes and data keys', async () => {
    await remove('blob')
    await remove('inline', 5)
    await store.objects.put('box', 'sealed', 'x'.repeat(100), { encryption: { mode: 'AES256' } })
    await store.objects.delete('box', 'sealed')
    await swept()
    expect([blobs(), inlineRows(), keyIdsOf(ports).length]).toEqual([2, 1, 1])
    await jobs.pins.confirm(job, store.seq)
    await swept()
    expect([blobs(), inlineRows(), keyIdsOf(ports).length]).toEqual([0, 0, 0])
  })

  it('go when the replica has the events, without another sweep', async () => {
    await remove('blob')
    await swept()
    await jobs.pins.confirm(job, store.seq)
    await expect.poll(blobs).toBe(0)
  })

  it('stay after a restart, as far as the replica was known to be, and without a replica they go', async () => {
    await remove('first')
    await jobs.pins.confirm(job, store.seq)
    await swept()
    await jobs.pins.release(job)
    await remove('second')
    await openAgain([{ job, maxBytes: plenty }])
    await swept()
    expect(blobs()).toBe(1)
    await openAgain([])
    await swept()
    expect(blobs()).toBe(0)
  })

  it('stay for a replica of which nothing is known', async () => {
    await remove('first')
    await openAgain([{ job: other, maxBytes: plenty }])
    await swept()
    expect(blobs()).toBe(1)
    await jobs.pins.confirm(other, 0)
    await swept()
    expect(blobs()).toBe(1)
  })

  it('stay when the log lost events that the replica had', async () => {
    await jobs.pins.confirm(job, 40)
    await jobs.pins.release(job)
    await openAgain([{ job, maxBytes: plenty }])
    await remove('blob')
    await swept()
    expect(blobs()).toBe(1)
    await openAgain([{ job, maxBytes: plenty }])
    while (store.seq < 45) await store.objects.put('box', 'many', '')
    await swept()
    expect(blobs()).toBe(1)
  })

  it('stay for the replica that is furthest behind', async () => {
    await openAgain([
      { job, maxBytes: plenty },
      { job: other, maxBytes: plenty },
    ])
    await remove('blob')
    await jobs.pins.confirm(job, store.seq)
    await swept()
    expect(blobs()).toBe(1)
    await jobs.pins.confirm(other, store.seq)
    await swept()
    expect(blobs()).toBe(0)
  })

  it('go at once when somebody has them erased', async () => {
    await remove('first')
    await remove('second')
    await swept()
    expect(blobs()).toBe(2)
    const { entries, pending } = await store.erase({ bucket: 'box', key: 'first' })
    expect([entries.length, pending, blobs()]).toEqual([1, 0, 1])
    await run(job)
    await swept()
    expect(pinnedFor(job)?.bytes).toBe(100)
  })

  it('are not looked at again by each sweep', async () => {
    for (let n = 0; n < 60; n++) await remove(`key${n}`)
    await swept()
    const before = ports.journal.reads
    for (let n = 0; n < 10; n++) await swept()
    expect(ports.journal.reads - before).toBeLessThan(200)
    expect(blobs()).toBe(60)
  })
})

describe('more than a store keeps for a replica', () => {
  it('is given up, the oldest first, and named', async () => {
    const gaps: unknown[] = []
    await openAgain([{ job, maxBytes: 250, onGivenUp: (givenUp) => gaps.push(givenUp) }])
    await run(job)
    for (const key of ['one', 'two', 'three', 'four']) {
      await remove(key)
      await swept()
    }
    expect(blobs()).toBe(2)
    expect(pinnedFor(job)).toEqual({ bytes: 200, givenUp: { contents: 2, bytes: 200 } })
    expect(gaps).toEqual([{ contents: 1, bytes: 100 }])
    await jobs.pins.confirm(job, store.seq)
    await swept()
    expect([blobs(), pinnedFor(job)?.bytes]).toEqual([0, 0])
  })

  it('is named again after the replica had caught up', async () => {
    const gaps: unknown[] = []
    await openAgain([{ job, maxBytes: 0, onGivenUp: (givenUp) => gaps.push(givenUp) }])
    for (const key of ['one', 'two']) {
      await remove(key)
      await swept()
      await jobs.pins.confirm(job, store.seq)
    }
    expect(gaps.length).toBe(2)
    expect(blobs()).toBe(0)
  })

  it('is given up for one replica alone', async () => {
    await openAgain([
      { job, maxBytes: 0 },
      { job: other, maxBytes: plenty },
    ])
    await run(job)
    await run(other)
    await remove('blob')
    await swept()
    expect(blobs()).toBe(1)
    expect(pinnedFor(job)).toEqual({ bytes: 0, givenUp: { contents: 1, bytes: 100 } })
    expect(pinnedFor(other)).toEqual({ bytes: 100, givenUp: { contents: 0, bytes: 0 } })
  })

  it('counts what the budget of the retention gives up too', async () => {
    await store.retention.set({ keepMs: 1_000_000, budget: { bytes: 300 } })
    await openAgain([{ job, maxBytes: 500 }])
    for (let n = 0; n < 12; n++) {
      await remove(`key${n}`)
      await swept()
    }
    expect(blobs()).toBeGreaterThanOrEqual(3)
    expect(blobs()).toBeLessThanOrEqual(8)
  })

  it('is given up when the medium has no room for writes', async () => {
    let taken = 0
    const room = async () => ({ free: 1000 - taken - 100 * blobs(), reserved: 100, total: 2000 })
    ports = { ...ports, reserve: { exhausted: () => false, room } }
    await openAgain([{ job, maxBytes: plenty }])
    await remove('one')
    await remove('two')
    await swept()
    expect(blobs()).toBe(2)
    taken = 650
    await swept()
    expect(blobs()).toBe(1)
  })
})

describe('the bytes that are pinned', () => {
  it('are counted step by step, each once, and never too few where positions are counted together', async () => {
    await store.close()
    store = await openEngine(ports, { inlineMax: 8 }, { pins: [{ job, maxBytes: plenty }] })
    const freed: number[] = []
    for (let n = 0; n < 30; n++) {
      await remove(`key${n}`, 10)
      freed.push(store.seq)
    }
    const counted = new PinnedBytes({ contentsMax: 4, entriesMax: 8 })
    const count = () => counted.count(ports.journal, hashing, async () => 10)
    let steps = 1
    while (await count()) steps++
    expect(steps).toBeGreaterThanOrEqual(8)
    expect(counted.after(0)).toEqual({ contents: 30, bytes: 300 })
    await count()
    for (const [i, seq] of freed.entries()) {
      expect(counted.after(seq).contents).toBeGreaterThanOrEqual(29 - i)
      expect(counted.after(seq).contents).toBeLessThan(29 - i + 16)
    }
    counted.dropUpTo(freed[14] as number)
    expect(counted.after(0).contents).toBeLessThan(30)
    expect(counted.after(0).contents).toBeGreaterThanOrEqual(15)
    counted.dropUpTo(store.seq + 16)
    expect(counted.isEmpty).toBe(true)
  })
})
