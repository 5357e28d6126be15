import { runInNewContext } from 'node:vm'
import type { RecordedEvent } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { memoryStore, type Store } from '../index.ts'

let store: Store
let warnings: MockInstance

beforeEach(async () => {
  store = await memoryStore()
  warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
})
afterEach(async () => {
  warnings.mockRestore()
  await store.close()
})

describe('store.events', () => {
  it('calls by type and for every event, in the order of the log, when the event can be read', async () => {
    const heard: string[] = []
    store.events
      .on('event', ({ type, seq }) => heard.push(`event ${seq} ${type}`))
      .on('VersionAdded', ({ data }) => heard.push(`added ${data.key}`))
    let seen = 0
    store.events.on('VersionAdded', () => {
      seen = store.seq
    })
    await store.buckets.create('photos')
    await store.objects.put('photos', 'a', 'x')
    expect(heard).toEqual(['event 2 BucketCreated', 'added a', 'event 3 VersionAdded'])
    expect(seen).toBe(3)
  })

  it('gives the event as it stands in the log', async () => {
    let heard: RecordedEvent | undefined
    store.events.once('BucketCreated', (event) => {
      heard = event
    })
    await store.buckets.create('photos')
    for await (const event of store.log({ from: store.seq })) expect(heard).toEqual(event)
  })

  it('emits nothing for a refused command', async () => {
    const listener = vi.fn()
    store.events.on('event', listener)
    await expect(store.objects.put('nowhere', 'a', 'x')).rejects.toMatchObject({ code: 'NoSuchBucket' })
    expect(listener).not.toHaveBeenCalled()
  })

  it('ends with off, after once, and with removeAllListeners', async () => {
    const [off, once, all] = [vi.fn(), vi.fn(), vi.fn()]
    store.events.on('BucketCreated', off).once('BucketCreated', once).on('BucketCreated', all)
    expect(store.events.listenerCount('BucketCreated')).toBe(3)
    store.events.off('BucketCreated', off)
    await store.buckets.create('one')
    await store.buckets.create('two')
    store.events.removeAllListeners()
    await store.buckets.create('three')
    expect([off, once, all].map(({ mock }) => mock.calls.length)).toEqual([0, 1, 2])
  })

  it.each([
    ['throws', () => thrown()],
    ['rejects', () => Promise.reject(new Error('a bad guest'))],
  ])('keeps a listener that %s away from the store and from other listeners', async (_how, bad) => {
    const [other, errors] = [vi.fn(), vi.fn()]
    store.events.on('BucketCreated', bad).on('BucketCreated', other).on('listenerError', errors)
    await store.buckets.create('photos')
    await store.objects.put('photos', 'a', 'x')
    expect(store.state).toBe('open')
    expect(other).toHaveBeenCalledTimes(1)
    expect(errors).toHaveBeenCalledTimes(1)
    expect(errors.mock.calls[0]).toMatchObject([{ message: 'a bad guest' }, { seq: 2 }])
    expect(warnings).not.toHaveBeenCalled()
  })

  it('warns when errors have no listener, and when their listener throws', async () => {
    store.events.on('BucketCreated', thrown)
    await store.buckets.create('one')
    expect(warnings).toHaveBeenCalledTimes(1)
    store.events.on('listenerError', thrown)
    await store.buckets.create('two')
    expect(warnings).toHaveBeenCalledTimes(2)
    expect(store.state).toBe('open')
  })

  it('is shared by every face of the store, and subscribe is as safe', async () => {
    const listener = vi.fn()
    store.events.on('BucketCreated', listener)
    store.subscribe(thrown)
    const bob = store.as({ by: { id: 'bob', name: 'Bob' } })
    await bob.buckets.create('photos')
    expect(bob.events).toBe(store.events)
    expect(listener).toHaveBeenCalledTimes(1)
    expect(store.state).toBe('open')
    expect(warnings).toHaveBeenCalledTimes(1)
  })

  it.each([
    ['type', 'seen'],
    ['data', null],
    ['seq', 777],
  ])('lets no listener change the %s that others receive', async (field, value) => {
    const other = vi.fn()
    const change = (event: RecordedEvent) => Object.assign(event, { [field]: value })
    store.events.on('event', change).on('event', other)
    store.subscribe((events) => events.forEach(change))
    await store.buckets.create('photos')
    const large = 'x'.repeat(100_000)
    expect((await store.objects.put('photos', 'a', large)).size).toBe(large.length)
    expect(await (await store.objects.get('photos', 'a')).text()).toBe(large)
    expect(other.mock.calls.map(([event]) => event.seq)).toEqual([2, 3])
  })

  it('survives what has no text, and rejections of promises that are not of this realm', async () => {
    const foreign: () => unknown = runInNewContext('async () => { throw new Error("a bad guest") }')
    store.events.on('event', () => {
      throw Object.create(null)
    })
    store.events.on('event', foreign)
    store.subscribe((async () => thrown()) as () => void)
    store.subscribe(foreign as () => void)
    await store.buckets.create('photos')
    await vi.waitFor(() => expect(warnings).toHaveBeenCalledTimes(4), { timeout: 30_000 })
    expect(store.state).toBe('open')
  })

  it('refuses what is no function', () => {
    expect(() => store.events.on('event', 'listener' as never)).toThrow(
      expect.objectContaining({ code: 'InvalidArgument' }),
    )
  })
})

function thrown(): never {
  throw new Error('a bad guest')
}
