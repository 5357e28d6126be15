/** Subscriptions over the journal in memory: batches, cursors, filters, and holders that compete. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { SubscriptionBatch } from '../following/walk-batches.ts'
import { codeOf, list } from './answers.fixture.ts'
import { memoryPorts, type MemoryPorts } from './memory-ports.fixture.ts'
import { openEngine, openForReading } from './open-engine.ts'
import { defineProjection } from './projections.ts'
import { settle, SimulatedTime } from './simulated-time.fixture.ts'
import type { Store } from './store.ts'
import type { SubscriptionOptions } from './types/index.ts'

const options = { inlineMax: 64, retentionMs: 1e12 }
let time: SimulatedTime
let ports: MemoryPorts & { readonly timer: SimulatedTime }
let store: Store

const open = () => openEngine(ports, options)
const reopen = async () => {
  await store.close()
  store = await open()
}
const iterate = (name: string, given?: SubscriptionOptions, of = store) =>
  of.subscribe(name, given)[Symbol.asyncIterator]() as AsyncGenerator<SubscriptionBatch>
const taken = async (iterator: AsyncIterator<SubscriptionBatch>): Promise<SubscriptionBatch> => {
  const { value, done } = await iterator.next()
  if (done === true) throw new Error('The iteration has ended.')
  return value
}
const seqsOf = ({ events }: SubscriptionBatch) => events.map(({ seq }) => seq)
const put = (key: string) => store.objects.put('box', key, 'x')
const counted = (name: string) =>
  defineProjection({ name, version: 1, init: () => 0, on: { VersionAdded: (count) => count + 1 } })
const cursor = async (name: string) => (await store.subscriptions.list()).find((each) => each.name === name)?.cursor

/** Five events: a bucket and four versions. */
beforeEach(async () => {
  time = new SimulatedTime()
  ports = { ...memoryPorts(), clock: time as never, timer: time }
  store = await open()
  await store.buckets.create('box')
  for (const key of ['a/1', 'b/1', 'a/2', 'b/2']) await put(key)
})

describe('a subscription', () => {
  it('delivers every event in batches, in order, and then new ones', async () => {
    const iterator = iterate('indexer', { batchMax: 2 })
    const seen: number[][] = []
    for (let i = 0; i < 3; i++) {
      const batch = await taken(iterator)
      seen.push([batch.from, batch.to, ...seqsOf(batch)])
      await batch.acknowledge()
    }
    const waiting = taken(iterator)
    await put('new')
    const batch = await waiting
    seen.push([batch.from, batch.to, ...seqsOf(batch)])
    expect(seen).toEqual([
      [1, 2, 1, 2],
      [3, 4, 3, 4],
      [5, 5, 5],
      [6, 6, 6],
    ])
    expect(batch.events[0]).toMatchObject({ type: 'VersionAdded', data: { key: 'new' } })
  })

  it('continues after the last acknowledgement when the store is opened again', async () => {
    let iterator = iterate('indexer', { batchMax: 2 })
    await (await taken(iterator)).acknowledge()
    expect(seqsOf(await taken(iterator))).toEqual([3, 4])
    await reopen()
    iterator = iterate('indexer', { batchMax: 3 })
    const again = await taken(iterator)
    expect(seqsOf(again)).toEqual([3, 4, 5])
    await again.acknowledge()
    await again.acknowledge()
    expect(await cursor('indexer')).toBe(5)
  })

  it('continues after a process that was killed, without a wait', async () => {
    const iterator = iterate('indexer', { batchMax: 2 })
    await (await taken(iterator)).acknowledge()
    await taken(iterator)
    store = await open()
    expect(seqsOf(await taken(iterate('indexer')))).toEqual([3, 4, 5])
  })

  it('begins after a moment, which counts only once', async () => {
    const iterator = iterate('late', { from: 3 })
    expect(seqsOf(await taken(iterator))).toEqual([4, 5])
    await iterator.return(undefined)
    expect(seqsOf(await taken(iterate('late', { from: 5 })))).toEqual([4, 5])
    expect(seqsOf(await taken(iterate('dated', { from: new Date(0) })))).toEqual([1, 2, 3, 4, 5])
    const rows = ports.journal.rows.size
    expect(await codeOf(taken(iterate('future', { from: 6 })))).toBe('MomentOutOfRange')
    expect(ports.journal.rows.size).toBe(rows)
  })

  it('delivers the next batch only after the acknowledgement of the last one', async () => {
    const iterator = iterate('indexer', { batchMax: 1 })
    const first = await taken(iterator)
    let isNext = false
    const next = taken(iterator).then((batch) => {
      isNext = true
      return batch
    })
    await time.pass(1000)
    expect(isNext).toBe(false)
    await first.acknowledge()
    expect(seqsOf(await next)).toEqual([2])
  })

  it('is one of many, without a warning of the runtime', async () => {
    const warnings: unknown[] = []
    const note = (warning: Error) => {
      if (warning.name === 'MaxListenersExceededWarning') warnings.push(warning)
    }
    process.on('warning', note)
    const projections = await Promise.all(
      Array.from({ length: 30 }, (_, i) => store.projections.open(counted(`p${i}`))),
    )
    const iterators = Array.from({ length: 30 }, (_, i) => iterate(`s${i}`))
    for (const batch of await Promise.all(iterators.map((each) => taken(each)))) await batch.acknowledge()
    const waiting = iterators.map((each) => each.next())
    for (const projection of projections) await projection.caughtUp()
    await new Promise((resolve) => setImmediate(resolve))
    await store.close()
    expect((await Promise.all(waiting)).every(({ done }) => done)).toBe(true)
    process.off('warning', note)
    expect(warnings).toEqual([])
  })

  it('holds back only itself', async () => {
    const slow = await taken(iterate('slow'))
    const fast = iterate('fast')
    await (await taken(fast)).acknowledge()
    for (let i = 0; i < 50; i++) await put('k')
    expect(seqsOf(await taken(fast))).toHaveLength(50)
    expect(seqsOf(slow)).toHaveLength(5)
    expect(await store.subscriptions.list()).toMatchObject([
      { name: 'fast', cursor: 5, lag: 50 },
      { name: 'slow', cursor: 0, lag: 55 },
    ])
  })

  it('shows its filter, its lag and its lease', async () => {
    const iterator = iterate('indexer', { filter: { bucket: 'box', prefix: 'a/' }, leaseMs: 5000 })
    const batch = await taken(iterator)
    const expires = new Date(time.now() + 5000)
    const filter = { bucket: 'box', prefix: 'a/' }
    const shown = {
      name: 'indexer',
      filter,
      keepsBytes: false,
      cursor: 0,
      lag: 5,
      lease: { epoch: 1, isHere: true, expires },
    }
    expect(await store.subscriptions.list()).toEqual([shown])
    await batch.acknowledge()
    const waiting = iterator.next()
    await time.pass(60_000)
    expect(await store.subscriptions.list()).toEqual([
      { ...shown, cursor: 5, lag: 0, lease: { epoch: 1, isHere: true } },
    ])
    await store.close()
    expect(await waiting).toEqual({ done: true, value: undefined })
    store = await open()
    expect(await store.subscriptions.list()).toEqual([
      { name: 'indexer', filter, keepsBytes: false, cursor: 5, lag: 0 },
    ])
  })

  it('is dropped with its cursor, and its holder ends', async () => {
    const iterator = iterate('indexer')
    const batch = await taken(iterator)
    await store.subscriptions.drop('indexer')
    await store.subscriptions.drop('never')
    expect(await store.subscriptions.list()).toEqual([])
    expect(await codeOf(batch.acknowledge())).toBe('SubscriptionLost')
    expect(await codeOf(iterator.next())).toBe('SubscriptionLost')
    expect(seqsOf(await taken(iterate('indexer')))).toEqual([1, 2, 3, 4, 5])
  })

  it('is whole for verify, and no keyspace of a program', async () => {
    await (await taken(iterate('indexer'))).acknowledge()
    expect((await store.verify()).divergences).toEqual([])
    expect(await store.keyspaces.list()).toEqual([])
    expect(await codeOf(store.keyspaces.drop('subscription/indexer'))).toBe('InvalidArgument')
  })

  it('is not opened by a store that is read-only, which shows it', async () => {
    await (await taken(iterate('indexer'))).acknowledge()
    await store.close()
    const reading = await openForReading(ports)
    expect(await codeOf(taken(iterate('indexer', {}, reading)))).toBe('ReadOnly')
    expect(await reading.subscriptions.list()).toMatchObject([{ name: 'indexer', cursor: 5 }])
  })

  it.each([
    ['a name', ['not a name', {}]],
    ['a batch of nothing', ['name', { batchMax: 0 }]],
    ['a short lease', ['name', { leaseMs: 99 }]],
    ['a filter without a bucket', ['name', { filter: { prefix: 'a' } }]],
    ['an unknown option', ['name', { filters: {} }]],
  ] as const)('is refused for %s that is none', async (_what, [name, given]) => {
    expect(await codeOf(taken(iterate(name, given as SubscriptionOptions)))).toBe('InvalidArgument')
  })
})

describe('the filter of a subscription', () => {
  const filter = { bucket: 'box', prefix: 'a/' }

  it('passes by events that do not match', async () => {
    const iterator = iterate('indexer', { filter })
    const batch = await taken(iterator)
    expect([batch.from, batch.to, ...seqsOf(batch)]).toEqual([1, 5, 2, 4])
    await batch.acknowledge()
    expect(await cursor('indexer')).toBe(5)
  })

  it('moves the cursor although nothing matches', async () => {
    const waiting = iterate('indexer', { filter: { by: 'bob' } }).next()
    await settle()
    await time.pass(1000)
    expect(await cursor('indexer')).toBe(5)
    await put('k')
    await settle()
    await time.pass(999)
    expect(await cursor('indexer')).toBe(5)
    await time.pass(1)
    expect(await cursor('indexer')).toBe(6)
    await store.close()
    expect(await waiting).toMatchObject({ done: true })
  })

  it('moves the cursor to the first event of a batch, which stays unacknowledged', async () => {
    for (let i = 0; i < 300; i++) await put('b')
    await put('c')
    const batch = await taken(iterate('indexer', { filter: { bucket: 'box', prefix: 'c' } }))
    expect([batch.from, batch.to, ...seqsOf(batch)]).toEqual([306, 306, 306])
    expect(await cursor('indexer')).toBe(305)
  })

  it('stays, unless it is replaced', async () => {
    const first = iterate('indexer', { filter: { types: ['VersionAdded', 'BucketCreated'] } })
    await taken(first)
    await first.return(undefined)
    const same: SubscriptionOptions[] = [{}, { filter: { types: ['BucketCreated', 'VersionAdded', 'VersionAdded'] } }]
    for (const given of same) {
      const iterator = iterate('indexer', given)
      expect(seqsOf(await taken(iterator))).toEqual([1, 2, 3, 4, 5])
      await iterator.return(undefined)
    }
    for (const given of [{}, filter]) {
      expect(await codeOf(taken(iterate('indexer', { filter: given })))).toBe('SubscriptionConflict')
    }
    expect(seqsOf(await taken(iterate('indexer', { filter, replace: true })))).toEqual([2, 4])
  })
})

describe('the end of an iteration', () => {
  it('is a break, and the next holder begins at once', async () => {
    for await (const batch of store.subscribe('indexer', { batchMax: 2 })) {
      await batch.acknowledge()
      break
    }
    expect(seqsOf(await taken(iterate('indexer')))).toEqual([3, 4, 5])
  })

  it('is an error of the caller, which stays what it is', async () => {
    const failing = async () => {
      for await (const batch of store.subscribe('indexer')) throw new Error(`no room for ${batch.events.length}`)
    }
    await expect(failing()).rejects.toThrow('no room for 5')
    expect(seqsOf(await taken(iterate('indexer')))).toEqual([1, 2, 3, 4, 5])
  })

  it('is the signal: the last batch can still be acknowledged', async () => {
    const ending = new AbortController()
    const seen: number[] = []
    for await (const batch of store.subscribe('indexer', { batchMax: 2, signal: ending.signal })) {
      ending.abort()
      seen.push(...seqsOf(batch))
      await batch.acknowledge()
    }
    expect([seen, await cursor('indexer')]).toEqual([[1, 2], 2])
    expect(await list(store.subscribe('indexer', { signal: ending.signal }))).toEqual([])
    const waiting = new AbortController()
    const iterator = iterate('idle', { from: 5, signal: waiting.signal })
    const next = iterator.next()
    await settle()
    waiting.abort()
    expect(await next).toEqual({ done: true, value: undefined })
  })

  it('is the end of the store, which a holder does not delay', async () => {
    const iterator = iterate('indexer')
    const batch = await taken(iterator)
    await store.close()
    expect(await codeOf(batch.acknowledge())).toBe('StoreClosed')
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
    expect(await codeOf(taken(iterate('indexer')))).toBe('StoreClosed')
  })

  it('makes later acknowledgements void', async () => {
    const iterator = iterate('indexer')
    const batch = await taken(iterator)
    await iterator.return(undefined)
    expect(await codeOf(batch.acknowledge())).toBe('SubscriptionLost')
    expect(await cursor('indexer')).toBe(0)
  })
})

describe('two holders of a subscription in one process', () => {
  it('take turns: the second one waits until the first one ends', async () => {
    const first = iterate('indexer', { batchMax: 2 })
    await (await taken(first)).acknowledge()
    let second: SubscriptionBatch | undefined
    const waiting = taken(iterate('indexer')).then((batch) => (second = batch))
    await time.pass(10_000)
    expect(second).toBeUndefined()
    await first.return(undefined)
    await time.pass(1000)
    expect(seqsOf(await waiting)).toEqual([3, 4, 5])
  })

  it('take over: the second one gets what the first one did not acknowledge in time', async () => {
    const first = iterate('indexer', { batchMax: 2, leaseMs: 5000 })
    const batch = await taken(first)
    const second = taken(iterate('indexer'))
    await time.pass(4900)
    await put('new')
    await time.pass(400)
    expect(seqsOf(await second)).toEqual([1, 2, 3, 4, 5, 6])
    expect(await codeOf(batch.acknowledge())).toBe('SubscriptionLost')
    expect(await codeOf(first.next())).toBe('SubscriptionLost')
    await (await second).acknowledge()
    expect(await cursor('indexer')).toBe(6)
  })

  it('that begin at once do not lose it to each other', async () => {
    const all = [1, 2, 3].map(() => iterate('indexer'))
    const batches = all.map((iterator) => taken(iterator))
    const first = await Promise.race(batches)
    await time.pass(2000)
    await first.acknowledge()
    expect(await cursor('indexer')).toBe(5)
    expect(await store.subscriptions.list()).toMatchObject([{ lease: { epoch: 1 } }])
  })

  it('leave a late holder alone that no other one waits for', async () => {
    const batch = await taken(iterate('indexer', { leaseMs: 100 }))
    await time.pass(1e6)
    await batch.acknowledge()
    expect(await cursor('indexer')).toBe(5)
  })

  it('are refused where there is no timer to wait with', async () => {
    const { timer: _timer, ...untimed } = ports
    ports = untimed as typeof ports
    await reopen()
    await taken(iterate('indexer'))
    expect(await codeOf(taken(iterate('indexer')))).toBe('LeaseHeld')
  })
})

describe('a subscription that keeps bytes', () => {
  const big = 'x'.repeat(100)
  const then = async (seq: number) => (await store.at(seq)).objects.get('box', 'seen').then((object) => object.text())
  /** Long after all retentions. */
  const swept = async () => {
    await time.pass(2e12)
    await store.sweep()
  }

  beforeEach(async () => {
    await store.objects.put('box', 'seen', big)
  })

  it('lets its consumer read what its events are about, until they are acknowledged', async () => {
    const { seq } = store
    const iterator = iterate('thumbnails', { from: seq, keepBytes: true })
    await store.objects.put('box', 'seen', 'another')
    const batch = await taken(iterator)
    await swept()
    expect(await then(seq)).toBe(big)
    await batch.acknowledge()
    await swept()
    expect(await codeOf(then(seq))).toBe('ObjectErased')
    await iterator.return(undefined)
  })

  it('keeps them while it has no holder, and after a reopen, until it is dropped', async () => {
    const { seq } = store
    const iterator = iterate('thumbnails', { from: seq, keepBytes: true })
    await store.objects.put('box', 'seen', 'another')
    await taken(iterator)
    await iterator.return(undefined)
    await reopen()
    await swept()
    expect(await then(seq)).toBe(big)
    expect(await store.subscriptions.list()).toMatchObject([{ name: 'thumbnails', keepsBytes: true }])
    await store.subscriptions.drop('thumbnails')
    await swept()
    expect(await codeOf(then(seq))).toBe('ObjectErased')
  })

  it('stays as it is when it is taken without the option, and can be told otherwise', async () => {
    const take = async (given: SubscriptionOptions) => {
      const iterator = iterate('thumbnails', given)
      await taken(iterator)
      await iterator.return(undefined)
      return (await store.subscriptions.list())[0]?.keepsBytes
    }
    expect(await take({})).toBe(false)
    expect(await take({ keepBytes: true })).toBe(true)
    expect(await take({})).toBe(true)
    expect(await take({ keepBytes: false })).toBe(false)
  })
})
