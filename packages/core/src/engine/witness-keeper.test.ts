/** How far the witness may be behind what was answered: by a second of commits, and by nothing when they pause. */
import { beforeEach, describe, expect, it } from 'vitest'
import { StorageError } from '../base/errors.ts'
import type { Tip, Witness } from '../ports/index.ts'
import { memoryPorts, type MemoryPorts } from '../api/memory-ports.fixture.ts'
import { settle, SimulatedTime } from '../api/simulated-time.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import type { StoreOptions } from './store-options.ts'
import { WitnessKeeper } from './witness-keeper.ts'

let ports: MemoryPorts
let time: SimulatedTime
let written: Tip[]
let failing: boolean

beforeEach(() => {
  ports = memoryPorts()
  time = new SimulatedTime()
  written = []
  failing = false
})

const witness: Witness = {
  read: async () => written.at(-1),
  async write(tip) {
    if (failing) throw new StorageError('JournalFailed', 'No.')
    written.push(tip)
  },
}

async function open(options: StoreOptions = {}): Promise<Store> {
  const store = await openEngine({ ...ports, witness, clock: time, timer: time }, options)
  await store.buckets.create('box')
  await settle()
  return store
}

const tip = (seq: number): Tip => ({ seq, hash: '' })

/** A witness whose first write is followed, so many promise jobs later, by `then`. */
const answering = (jobs: number, then: () => void): Witness => ({
  ...witness,
  async write(tip) {
    await witness.write(tip)
    if (written.length === 1) void jobsLater(jobs).then(then)
  },
})

async function jobsLater(jobs: number): Promise<void> {
  for (let job = 0; job < jobs; job++) await Promise.resolve()
}

const witnessed = (): number => written.at(-1)?.seq ?? 0

describe('a trailing witness', () => {
  it('knows every commit a quarter of a second after the last', async () => {
    const store = await open()
    for (let i = 0; i < 450; i++) await store.objects.put('box', `k${i}`, 'x')
    expect(witnessed()).toBeLessThan(store.seq)
    await time.pass(250)
    expect(witnessed()).toBe(store.seq)
    await store.close()
  })

  it('is written once a second while commits go on, and at most four times however they pause', async () => {
    for (const [every, atMost] of [
      [50, 11],
      [260, 41],
    ] as const) {
      written = []
      const store = await open()
      for (let at = 0; at < 10_000; at += every) {
        await store.objects.put('box', `k${at}`, 'x')
        await time.pass(every)
        expect(store.seq - witnessed()).toBeLessThanOrEqual(1000 / every + 1)
      }
      expect(written.length).toBeLessThanOrEqual(atMost)
      expect(written.length).toBeGreaterThanOrEqual(9)
      await store.close()
      ports = memoryPorts()
    }
  })

  it('says how long it has lacked a commit', async () => {
    const store = await open()
    const lag = async () => (await store.owner.status()).witnessLagMs
    expect(await lag()).toBe(0)
    failing = true
    await store.objects.put('box', 'a', 'x')
    await time.pass(5000)
    expect(await lag()).toBe(5000)
    failing = false
    await store.objects.put('box', 'b', 'x')
    await time.pass(1000)
    expect(await lag()).toBe(0)
    await store.close()
  })

  it('that cannot be written fails no commit, and is written after the next', async () => {
    const store = await open()
    failing = true
    await store.objects.put('box', 'a', 'x')
    await time.pass(5000)
    await store.objects.put('box', 'b', 'x')
    failing = false
    await time.pass(1000)
    await store.objects.put('box', 'c', 'x')
    await time.pass(1000)
    expect(witnessed()).toBe(store.seq)
    await store.close()
  })

  it('follows a commit that comes however soon after it was written', async () => {
    for (let jobs = 0; jobs < 12; jobs++) {
      const keeper = new WitnessKeeper({
        clock: time,
        witness: answering(jobs, () => keeper.note(tip(2))),
        timer: time,
      })
      written = []
      keeper.note(tip(1))
      await time.pass(2000)
      expect([jobs, witnessed()]).toEqual([jobs, 2])
      await keeper.stop()
    }
  })

  it('is written no more after the end of the store, nor after a commit of unknown outcome', async () => {
    const store = await open()
    await store.objects.put('box', 'a', 'x')
    await store.close()
    const { length } = written
    await time.pass(10_000)
    expect(written).toHaveLength(length)
    expect(witnessed()).toBe(store.seq)
  })
})

describe('a synced witness', () => {
  it('never lacks a commit', async () => {
    const store = await open({ witness: 'synced' })
    await time.pass(5000)
    await store.objects.put('box', 'a', 'x')
    await time.pass(5000)
    expect((await store.owner.status()).witnessLagMs).toBe(0)
    await store.close()
  })

  it('knows a commit before it is answered', async () => {
    const store = await open({ witness: 'synced' })
    for (let i = 0; i < 20; i++) {
      const answered = store.seq
      await Promise.all([store.objects.put('box', `a${i}`, 'x'), store.objects.put('box', `b${i}`, 'x')])
      expect(store.seq).toBe(answered + 2)
      expect(witnessed()).toBe(store.seq)
    }
    await store.close()
  })

  it('that cannot be written leaves the outcome of the commit unknown', async () => {
    const store = await open({ witness: 'synced' })
    failing = true
    await expect(store.objects.put('box', 'a', 'x')).rejects.toMatchObject({ code: 'StoreFailed' })
    expect(store.state).toBe('failed')
    await store.close()
  })
})
