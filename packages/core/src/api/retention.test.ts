import { beforeEach, describe, expect, it } from 'vitest'
import { defaultRetention } from '../settings/byte-retention.ts'
import { salvage } from '../repair/salvage.ts'
import { openedRetentions } from '../retention/opened-retentions.ts'
import { committedRows } from '../views/row-reader.ts'
import { codeOf, list } from './answers.fixture.ts'
import { type MemoryPorts, memoryJournal, memoryPorts } from './memory-ports.fixture.ts'
import { type OpenOptions, openEngine, openForMaintenance } from './open-engine.ts'
import type { Store } from './store.ts'

const hour = 3_600_000
const retention = { keepMs: 24 * hour, budget: { percent: 10 } }

let ports: MemoryPorts
let store: Store

beforeEach(() => {
  ports = memoryPorts()
})

async function open(options: OpenOptions = { retention }): Promise<Store> {
  store = await openEngine(ports, { inlineMax: 0, ...options })
  return store
}

async function reopen(options: OpenOptions = { retention }): Promise<Store> {
  await store.close()
  return open(options)
}

/** Overwrites a key so that its bytes are removed. */
async function remove(bucket: string, key: string, size = 100): Promise<void> {
  await store.objects.put(bucket, key, 'v'.repeat(size))
  await store.objects.delete(bucket, key)
}

async function sweepAfter(ms: number): Promise<void> {
  // The clock of the store believes only what it has observed.
  for (let passed = 0; passed < ms; passed += hour / 2) {
    ports.clock.time += hour / 2
    store.clock.observe()
  }
  await store.sweep()
}

const blobs = (): number => ports.blobs.bytes.size

describe('a new store', () => {
  it('states its retention in its first event, by the actor of the opening', async () => {
    await open({ retention, actor: { id: 'ann', name: 'Ann' } })
    expect(await list(store.log())).toMatchObject([
      { seq: 1, type: 'RetentionSet', data: { retention }, by: { id: 'ann' } },
    ])
    expect(await store.retention.get()).toEqual({ ...retention, statedBy: 'store', since: 1 })
  })

  it('keeps removed bytes for 30 days within a tenth of the medium, unless it is told otherwise', () => {
    expect(defaultRetention).toEqual({ keepMs: 30 * 24 * hour, budget: { percent: 10 } })
  })

  it.each([
    [{ retentionMs: hour }, { keepMs: hour, budget: { percent: 10 } }],
    [{ retentionBudget: { bytes: 5 } }, { keepMs: 24 * hour, budget: { bytes: 5 } }],
    [{ retentionMs: 0 }, { keepMs: 0 }],
  ])('states what its opening requests: %j', async (requested, stated) => {
    await open({ retention, ...requested })
    expect(await store.retention.get()).toEqual({ ...stated, statedBy: 'store', since: 1 })
  })

  it('states it once, however often it is opened', async () => {
    await open()
    await reopen()
    await reopen({ retention: { keepMs: 5 } })
    expect(await store.retention.get()).toEqual({ ...retention, statedBy: 'store', since: 1 })
    expect(store.seq).toBe(1)
  })

  it('states it once for two engines that open it at the same time', async () => {
    ports.journal.exclusive = false
    const two = await Promise.all([open(), openEngine(ports, { retention: { keepMs: 5 } })])
    expect(await two[0].retention.get()).toEqual(await two[1].retention.get())
    expect((await list(two[0].log())).map(({ type }) => type)).toEqual(['RetentionSet'])
    await Promise.all(two.map((one) => one.close()))
  })
})

describe('an opening', () => {
  it.each([{ retentionMs: 0 }, { retentionMs: 25 * hour }, { retentionBudget: { percent: 9 } }])(
    'is refused if it requests another retention than the store states: %j',
    async (options) => {
      await open()
      await store.close()
      expect(await codeOf(openEngine(ports, { retention, ...options }))).toBe('InvalidArgument')
      await open()
      expect(await store.retention.get()).toMatchObject(retention)
    },
  )

  it('may request the retention that the store states', async () => {
    await open()
    await reopen({ retentionMs: retention.keepMs, retentionBudget: retention.budget })
    expect(store.seq).toBe(1)
  })

  it('counts by itself for a store that states none', async () => {
    await open({ retentionMs: 2 * hour })
    await store.buckets.create('box')
    expect(await store.retention.get()).toEqual({ keepMs: 2 * hour, statedBy: 'opening' })
    await remove('box', 'k')
    await sweepAfter(hour)
    expect(blobs()).toBe(1)
    await reopen({ retentionMs: 0, retention })
    await store.sweep()
    expect(blobs()).toBe(0)
  })

  it('of a log that lost its first event erases nothing until a retention is stated', async () => {
    await open()
    await store.buckets.create('box')
    await store.objects.put('box', 'k', 'v')
    await store.close()
    const [into, to] = [memoryJournal(), await ports.journal.head()]
    const { journal: from, hashing } = ports
    await salvage({ from, into, hashing, soundTo: 0, doubted: new Set([1]), to })
    store = await openEngine({ ...ports, journal: into }, { inlineMax: 0 })
    await store.objects.delete('box', 'k')
    await sweepAfter(50 * hour)
    expect(blobs()).toBe(1)
    const unsetMs = async () => {
      const log = { ...ports, rows: committedRows(memoryJournal(), hashing) }
      return (await openedRetentions(log, to, undefined)).unsetMs
    }
    expect(await unsetMs()).toBe(0)
    ports.journal.log[0] = (ports.journal.log[0] as Uint8Array).slice(0, -1)
    expect(await unsetMs()).toBe(Number.MAX_SAFE_INTEGER)
  })

  it('for maintenance erases nothing, and requests nothing', async () => {
    await open({ retention: { keepMs: 0 } })
    await store.buckets.create('box')
    await store.close()
    store = await openForMaintenance(ports, { inlineMax: 0 })
    await remove('box', 'k')
    expect(await codeOf(store.sweep())).toBe('InvalidRequest')
    expect(blobs()).toBe(1)
    await reopen()
    await store.sweep()
    expect(blobs()).toBe(0)
  })
})

describe('the retention of a bucket', () => {
  beforeEach(async () => {
    await open()
    for (const bucket of ['short', 'box', 'long']) await store.buckets.create(bucket)
  })

  it('counts in place of that of the store, and does not hold up the others', async () => {
    await store.retention.set({ keepMs: 100 * hour }, { bucket: 'long' })
    await store.retention.set({ keepMs: hour }, { bucket: 'short' })
    expect(await store.retention.get({ bucket: 'box' })).toMatchObject({ keepMs: 24 * hour, statedBy: 'store' })
    expect(await store.retention.get({ bucket: 'long' })).toMatchObject({ keepMs: 100 * hour, statedBy: 'bucket' })
    for (const bucket of ['long', 'box', 'short']) await remove(bucket, 'k')
    const left = []
    for (const hours of [0.5, 1, 23, 76]) {
      await sweepAfter(hours * hour)
      left.push(blobs())
    }
    expect(left).toEqual([3, 2, 1, 0])
  })

  it('protects what was removed before it was made longer', async () => {
    await remove('box', 'k')
    await store.retention.set({ keepMs: 48 * hour }, { bucket: 'box' })
    await sweepAfter(25 * hour)
    expect(blobs()).toBe(1)
    await sweepAfter(25 * hour)
    expect(blobs()).toBe(0)
  })

  it('makes due at once what it was made too short for', async () => {
    await remove('box', 'k')
    await sweepAfter(2 * hour)
    expect(blobs()).toBe(1)
    await store.retention.set({ keepMs: hour }, { bucket: 'box' })
    await store.sweep()
    expect(blobs()).toBe(0)
  })

  it('of 0 erases as soon as something is removed', async () => {
    await store.retention.set({ keepMs: 0 }, { bucket: 'box' })
    await remove('box', 'k')
    await store.close()
    expect(blobs()).toBe(0)
  })

  it('ends when it is removed, and is not that of the next bucket of its name', async () => {
    await store.retention.set({ keepMs: 0 }, { bucket: 'box' })
    expect(await store.retention.remove({ bucket: 'box' })).toMatchObject({ keepMs: 24 * hour, statedBy: 'store' })
    await store.retention.set({ keepMs: 0 }, { bucket: 'box' })
    await store.buckets.delete('box')
    await store.buckets.create('box')
    expect(await store.retention.get({ bucket: 'box' })).toMatchObject({ statedBy: 'store' })
  })

  it('counts for the bytes of a bucket that was deleted', async () => {
    await store.retention.set({ keepMs: 100 * hour }, { bucket: 'long' })
    await remove('long', 'k')
    await store.buckets.delete('long')
    await store.buckets.create('long')
    await store.retention.set({ keepMs: 0 }, { bucket: 'long' })
    await sweepAfter(50 * hour)
    expect(blobs()).toBe(1)
  })

  it('is the longest of all for bytes that copies shared between buckets', async () => {
    await store.retention.set({ keepMs: 100 * hour }, { bucket: 'long' })
    await store.retention.set({ keepMs: 0 }, { bucket: 'short' })
    await store.objects.put('long', 'k', 'v')
    await store.objects.copy({ bucket: 'long', key: 'k' }, 'short', 'k')
    await store.objects.delete('long', 'k')
    await store.objects.delete('short', 'k')
    await sweepAfter(50 * hour)
    expect(blobs()).toBe(1)
    await sweepAfter(51 * hour)
    expect(blobs()).toBe(0)
  })

  it.each([
    ['no bucket', () => store.retention.set({ keepMs: 1 }, { bucket: 'none' }), 'NoSuchBucket'],
    ['a budget for one bucket', () => store.retention.set(retention, { bucket: 'box' }), 'InvalidArgument'],
    ['a negative time', () => store.retention.set({ keepMs: -1 }), 'InvalidArgument'],
    [
      'a share of the medium above all',
      () => store.retention.set({ keepMs: 1, budget: { percent: 101 } }),
      'InvalidArgument',
    ],
    ['a budget without a limit', () => store.retention.set({ keepMs: 1, budget: {} }), 'InvalidArgument'],
    ['a text for a time', () => store.retention.set({ keepMs: '1' } as never), 'InvalidArgument'],
    ['no retention at all', () => store.retention.set(undefined as never), 'InvalidArgument'],
    ['nothing to remove it from', () => store.retention.remove({} as never), 'InvalidArgument'],
    ['an unknown option', () => store.retention.get({ key: 'k' } as never), 'InvalidArgument'],
  ])('is refused with a code: %s', async (_what, call, code) => {
    const { seq } = store
    expect(await codeOf(call())).toBe(code)
    expect(store.seq).toBe(seq)
  })
})

describe('the budget of kept bytes', () => {
  beforeEach(async () => {
    await open({ retention: { keepMs: 1000 * hour, budget: { bytes: 1600 } } })
    await store.buckets.create('box')
    await store.retention.set({ keepMs: 1e12 }, { bucket: 'box' })
  })

  it('is kept by erasing what was removed first, no more than is needed to have a sixteenth free', async () => {
    for (let i = 0; i < 16; i++) await remove('box', `k${i}`)
    await store.sweep()
    expect(await store.usage()).toMatchObject({ live: 0, kept: 1600, pinned: 0 })
    const past = await store.at(store.seq - 31)
    await remove('box', 'one more')
    await store.sweep()
    expect(await store.usage()).toMatchObject({ live: 0, kept: 1500, pinned: 0 })
    expect(await codeOf(past.objects.get('box', 'k0'))).toBe('ObjectErased')
  })

  it('is kept without a call once it is exceeded', async () => {
    for (let i = 0; i < 40; i++) await remove('box', `k${i}`)
    await store.close()
    expect(blobs()).toBeLessThanOrEqual(16)
    expect(blobs()).toBeGreaterThanOrEqual(14)
  })

  it('erases nothing that a read may still use', async () => {
    const { seq } = await store.objects.put('box', 'k', 'first')
    const reading = await (await store.at(seq)).objects.get('box', 'k')
    await store.retention.set({ keepMs: 1000 * hour, budget: { bytes: 0 } })
    await store.objects.delete('box', 'k')
    await store.sweep()
    expect(await reading.text()).toBe('first')
    await store.sweep()
    expect(blobs()).toBe(0)
  })

  it('can be a share of the medium, which has no effect while its size is not known', async () => {
    await store.retention.set({ keepMs: 1000 * hour, budget: { percent: 1 } })
    for (let i = 0; i < 10; i++) await remove('box', `k${i}`)
    await store.sweep()
    expect(blobs()).toBe(10)
    await store.close()
    const room = async () => ({ total: 50_000, free: 50_000, reserved: 0 })
    store = await openEngine({ ...ports, reserve: { exhausted: async () => false, room } }, { inlineMax: 0 })
    await store.sweep()
    expect(await store.usage()).toMatchObject({ live: 0, kept: 400, pinned: 0, free: 50_000 })
  })
})

describe('a medium that is nearly full', () => {
  it('loses kept bytes before a write is refused, and only as many as it needs', async () => {
    const size = 100
    const [total, reserved] = [10_000, 1000]
    const free = () => total - size * blobs()
    const reserve = { exhausted: async () => free() < reserved, room: async () => ({ total, free: free(), reserved }) }
    store = await openEngine({ ...ports, reserve }, { inlineMax: 0, retention: { keepMs: 1e12 } })
    await store.buckets.create('box')
    for (let i = 0; i < 300; i++) await store.objects.put('box', `k${i % 3}`, 'v'.repeat(size))
    expect(blobs()).toBeGreaterThan(70)
    for (let i = 0; i < 70; i++) await store.objects.put('box', `live${i}`, 'v'.repeat(size))
    let refused = 0
    for (let i = 0; i < 50; i++) {
      if ((await codeOf(store.objects.put('box', `more${i}`, 'v'.repeat(size)))) === 'NoSpace') refused++
    }
    expect(refused).toBeGreaterThan(20)
    expect((await store.usage()).kept).toBe(0)
    expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ divergences: [] })
  })

  it('answers NoSpace, and not why a sweep failed, which the status of its job says', async () => {
    const room = async () => ({ total: 100, free: 0, reserved: 10 })
    let isFull = false
    const reserve = { exhausted: async () => isFull, room }
    store = await openEngine({ ...ports, reserve }, { inlineMax: 0, retention: { keepMs: 1e12 } })
    await store.buckets.create('box')
    await remove('box', 'k')
    ports.blobs.delete = () => Promise.reject(new Error('The blobs cannot be reached.'))
    isFull = true
    expect(await codeOf(store.objects.put('box', 'k', 'v'))).toBe('NoSpace')
    expect(store.jobs.find((job) => job.name === 'erasure')?.lastError?.error).toMatchObject({
      message: 'ports.blobs.delete failed: The blobs cannot be reached.',
    })
  })
})

describe('a shorter retention', () => {
  const day = 24 * hour

  async function removedLongAgo(): Promise<void> {
    await open({ retention: { keepMs: 30 * day, budget: { bytes: 1e6 } }, observesTime: false })
    await store.buckets.create('box')
    for (const key of ['a', 'b']) await remove('box', key)
    await sweepAfter(2 * day)
  }

  it('lets go what it makes due at once, without a grace period', async () => {
    await removedLongAgo()
    await store.retention.set({ keepMs: day })
    await store.sweep()
    expect(blobs()).toBe(0)
  })

  it.each([
    ['of the store', {}],
    ['of the bucket', { bucket: 'box' }],
  ])('lets nothing go before the grace period is over: %s', async (_of, of) => {
    await removedLongAgo()
    await store.retention.set({ keepMs: 0 }, { ...of, graceMs: day })
    expect(await store.retention.get(of)).toMatchObject({ keepMs: 0, before: { keepMs: 30 * day } })
    await remove('box', 'c')
    await sweepAfter(day / 2)
    await reopen({})
    await sweepAfter(0)
    expect(blobs()).toBe(3)
    await sweepAfter(day)
    expect(blobs()).toBe(0)
    expect((await store.retention.get(of)).before).toBeUndefined()
  })

  it('is taken back within the grace period without a loss', async () => {
    await removedLongAgo()
    await store.retention.set({ keepMs: 0 }, { graceMs: day })
    await store.retention.set({ keepMs: day }, { graceMs: day })
    await sweepAfter(day / 2)
    await store.retention.set({ keepMs: 30 * day })
    await sweepAfter(2 * day)
    expect(blobs()).toBe(2)
  })

  it('counts at once when the same is stated without a grace period', async () => {
    await removedLongAgo()
    await store.retention.set({ keepMs: 0 }, { graceMs: day })
    await store.retention.set({ keepMs: 0 })
    await store.sweep()
    expect(blobs()).toBe(0)
  })

  it('has a grace period too when a bucket follows the store again, and for a smaller budget', async () => {
    await removedLongAgo()
    await store.retention.set({ keepMs: 60 * day }, { bucket: 'box' })
    await store.retention.set({ keepMs: 0 })
    await store.retention.remove({ bucket: 'box', graceMs: day })
    expect(await store.retention.get({ bucket: 'box' })).toMatchObject({
      keepMs: 0,
      statedBy: 'store',
      before: { keepMs: 60 * day },
    })
    await sweepAfter(day / 2)
    expect(blobs()).toBe(2)
    await sweepAfter(day)
    expect(blobs()).toBe(0)
    await store.retention.set({ keepMs: 30 * day, budget: { bytes: 1e6 } })
    for (const key of ['a', 'b']) await remove('box', key)
    await store.retention.set({ keepMs: 30 * day, budget: { bytes: 50 } }, { graceMs: day })
    await sweepAfter(day / 2)
    expect(blobs()).toBe(2)
    await sweepAfter(day)
    expect(blobs()).toBe(0)
  })
})

describe('the plan of a retention', () => {
  const day = 24 * hour

  it('counts what it erases, as it is erased then', async () => {
    await open({ retention: { keepMs: 30 * day } })
    await store.buckets.create('box')
    await store.buckets.create('other')
    await remove('box', 'a')
    await sweepAfter(day)
    await remove('box', 'b', 30)
    await remove('other', 'c', 7)
    const plan = (keepMs: number, more = {}) => store.retention.plan({ keepMs }, more)
    expect(await plan(day)).toEqual({ isShorter: true, erases: { contents: 1, bytes: 100 } })
    expect(await plan(0)).toEqual({ isShorter: true, erases: { contents: 3, bytes: 137 } })
    expect(await plan(0, { bucket: 'box' })).toEqual({ isShorter: true, erases: { contents: 2, bytes: 130 } })
    expect(await plan(2 * day, { graceMs: day })).toEqual({ isShorter: true, erases: { contents: 1, bytes: 100 } })
    expect(await plan(60 * day)).toEqual({ isShorter: false, erases: { contents: 0, bytes: 0 } })
    expect(await store.retention.plan({ keepMs: 30 * day, budget: { bytes: 40 } })).toEqual({
      isShorter: true,
      erases: { contents: 1, bytes: 100 },
    })
    expect(await codeOf(store.retention.plan(null))).toBe('InvalidArgument')
    expect(await store.retention.plan(null, { bucket: 'box' })).toMatchObject({ isShorter: false })
    await store.retention.set({ keepMs: 0 })
    await store.sweep()
    expect(blobs()).toBe(0)
  })
})
