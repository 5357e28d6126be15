/** Subscriptions over the control socket, with the promises of `store.subscribe`. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Store, SubscriptionBatch } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { attachStore } from './attach-store.ts'
import type { AttachedStore } from './attached-store.ts'

const scratch = scratchDirectory()
let store: Store
let one: AttachedStore
let two: AttachedStore

beforeEach(async () => {
  store = await openStore(scratch.next())
  await store.buckets.create('photos')
  for (const key of ['a', 'b', 'c', 'd']) await store.objects.put('photos', key, key)
  one = await attachStore(store.dir ?? '')
  two = await attachStore(store.dir ?? '')
})
afterEach(async () => {
  await one.close()
  await two.close()
  await store.close()
})

const filter = { types: ['VersionAdded'] as const }
const options = { filter, batchMax: 2 }

function batches(of: AttachedStore, name: string, more = {}) {
  const iterator = of.subscribe(name, { ...options, ...more })[Symbol.asyncIterator]()
  const next = async (): Promise<SubscriptionBatch> => {
    const { value } = (await iterator.next()) as IteratorYieldResult<SubscriptionBatch>
    return value
  }
  return { iterator, next, end: () => iterator.return?.(undefined) }
}

const keysIn = ({ events }: SubscriptionBatch) => events.map(({ data }) => 'key' in data && data.key)
const quiet = (pending: Promise<unknown>) => Promise.race([pending, delay(300, 'quiet')])

describe('a subscription of an attached store', () => {
  it('gets each batch after the acknowledgement of the one before, and continues after the cursor', async () => {
    const first = batches(one, 'reader')
    const batch = await first.next()
    expect(keysIn(batch)).toEqual(['a', 'b'])
    const later = first.next()
    expect(await quiet(later)).toBe('quiet')
    await batch.acknowledge()
    await batch.acknowledge()
    expect(keysIn(await later)).toEqual(['c', 'd'])
    await first.end()
    const again = batches(two, 'reader')
    expect(keysIn(await again.next())).toEqual(['c', 'd'])
    await again.end()
  })

  it('gets events that come later', async () => {
    const { next, end } = batches(one, 'later', { from: store.seq })
    const pending = next()
    expect(await quiet(pending)).toBe('quiet')
    await two.objects.put('photos', 'e', 'e')
    expect(keysIn(await pending)).toEqual(['e'])
    await end()
  })

  it('is free as soon as the process of its holder is gone, and not before', async () => {
    const first = batches(one, 'shared')
    const batch = await first.next()
    const second = batches(two, 'shared')
    const waiting = second.next()
    expect(await quiet(waiting)).toBe('quiet')
    expect((await two.subscriptions.list())[0]).toMatchObject({ name: 'shared', lease: { isHere: true } })
    await one.close()
    expect(keysIn(await waiting)).toEqual(['a', 'b'])
    await expect(batch.acknowledge()).rejects.toMatchObject({ code: 'StoreClosed' })
    await second.end()
  })

  it('is lost to another holder after its lease', async () => {
    const first = batches(one, 'slow', { leaseMs: 100 })
    const batch = await first.next()
    await delay(150)
    const second = batches(two, 'slow')
    expect(keysIn(await second.next())).toEqual(['a', 'b'])
    await expect(batch.acknowledge()).rejects.toMatchObject({ code: 'SubscriptionLost' })
    await expect(first.next()).rejects.toMatchObject({ code: 'SubscriptionLost' })
    await second.end()
  })

  it('is refused with another filter, and is dropped', async () => {
    const first = batches(one, 'reader')
    await (await first.next()).acknowledge()
    await first.end()
    const others = batches(one, 'reader', { filter: { bucket: 'other' } })
    await expect(others.next()).rejects.toMatchObject({ code: 'SubscriptionConflict' })
    await one.subscriptions.drop('reader')
    expect(await one.subscriptions.list()).toEqual([])
    const again = batches(one, 'reader')
    expect(keysIn(await again.next())).toEqual(['a', 'b'])
    await again.end()
  })

  it('ends without an error by its signal, and with StoreClosed when its owner closes the store', async () => {
    const stop = new AbortController()
    const stopped = batches(one, 'stopped', { from: store.seq, signal: stop.signal })
    const closed = batches(one, 'closed', { from: store.seq })
    const [pending, ending] = [stopped.iterator.next(), closed.iterator.next()]
    await delay(100)
    stop.abort()
    expect(await pending).toEqual({ done: true, value: undefined })
    await Promise.all([expect(ending).rejects.toMatchObject({ code: 'StoreClosed' }), store.close()])
  })

  it('refuses wrong arguments', async () => {
    for (const [name, more] of [
      ['', {}],
      ['reader', { batchMax: 0 }],
      ['reader', { leaseMs: 1 }],
      ['reader', { filter: { prefix: 'p' } }],
    ] as const) {
      await expect(batches(one, name, more).next()).rejects.toMatchObject({ code: 'InvalidArgument' })
    }
  })
})
