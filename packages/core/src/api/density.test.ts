/** How many events there are over time. */
import { beforeAll, describe, expect, it } from 'vitest'
import { codeOf } from './answers.fixture.ts'
import { memoryPorts, type MemoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'
import type { DensityOptions } from './types/index.ts'

let ports: MemoryPorts
let store: Store
let began: number

const timeAfter = (ms: number) => new Date(began + ms)
const eventsOf = async (options: DensityOptions) => (await store.density(options)).map(({ events }) => events)

/** 2 events at once, then 10 in the first second, 40 in the third, 300 in the tenth: every third one below `a/`. */
beforeAll(async () => {
  ports = memoryPorts()
  began = ports.clock.time
  store = await openEngine(ports, { retentionMs: 1e12 })
  await store.buckets.create('box')
  await store.buckets.create('other')
  for (const [from, count] of [
    [500, 10],
    [2500, 40],
    [9500, 300],
  ] as const) {
    for (let i = 0; i < count; i++) {
      ports.clock.time = began + from + i
      await store.objects.put(i % 2 === 0 ? 'box' : 'other', i % 3 === 0 ? `a/${i}` : `b/${i}`, 'x')
    }
  }
  ports.clock.time = began + 10_000
})

describe('the density of the log', () => {
  it('counts every event of a slice, without reading them', async () => {
    const read: number[] = []
    const { events } = ports.journal
    ports.journal.events = (range = {}) => {
      read.push(range.from ?? 0)
      return events.call(ports.journal, range)
    }
    const slices = await store.density({ since: timeAfter(-1), until: timeAfter(10_000), steps: 10 })
    ports.journal.events = events
    expect(slices.map((slice) => slice.events)).toEqual([12, 0, 40, 0, 0, 0, 0, 0, 0, 300])
    expect(read.length).toBeLessThan(70)
    expect(slices.every(({ events: all, matching, isExact }) => isExact && all === matching)).toBe(true)
  })

  it('gives each slice the position at its end, which a moment can be', async () => {
    const slices = await store.density({ steps: 20 })
    expect(slices[0]?.from).toEqual(timeAfter(-1))
    expect(slices.at(-1)).toMatchObject({ until: timeAfter(9799), last: 352 })
    for (const { until, last } of slices) expect((await store.at(until)).seq).toBe(last)
    expect(slices.reduce((sum, { events }) => sum + events, 0)).toBe(352)
  })

  it('keeps to a part of the log', async () => {
    expect(await eventsOf({ since: 2, until: 12, steps: 3 })).toEqual([3, 4, 3])
    expect(await eventsOf({ since: timeAfter(2400), until: timeAfter(2600), steps: 2 })).toEqual([1, 39])
    expect(await eventsOf({ since: timeAfter(4000), until: timeAfter(8000), steps: 2 })).toEqual([0, 0])
    expect(await eventsOf({ since: timeAfter(-5000), until: timeAfter(0), steps: 5 })).toEqual([0, 0, 0, 0, 2])
    expect(await eventsOf({ since: 12, until: 2 })).toEqual([])
    expect(await eventsOf({ since: 352 })).toEqual([])
  })

  it('has no slice shorter than a millisecond', async () => {
    expect(await eventsOf({ since: 2, until: 12, steps: 1000 })).toEqual(Array.from({ length: 10 }, () => 1))
  })

  it('counts what matches where it may read all events, and estimates the rest', async () => {
    const range = { since: timeAfter(-1), until: timeAfter(10_000), steps: 10 }
    const exact = await store.density({ ...range, bucket: 'box', prefix: 'a/' })
    expect(exact.map(({ matching }) => matching)).toEqual([2, 0, 7, 0, 0, 0, 0, 0, 0, 50])
    expect(exact.every(({ isExact }) => isExact)).toBe(true)
    const sampled = await store.density({ ...range, bucket: 'box', readsMax: 160 })
    expect(sampled.map(({ isExact }) => isExact)).toEqual([...Array.from({ length: 9 }, () => true), false])
    expect(sampled.map(({ matching }) => matching).slice(0, 3)).toEqual([6, 0, 20])
    const { matching = 0, events } = sampled[9] ?? {}
    expect(events).toBe(300)
    expect(Math.abs(matching - 150)).toBeLessThan(15)
  })

  it('is of an empty log nothing', async () => {
    const empty = await openEngine(memoryPorts(), { retentionMs: 1e12 })
    expect(await empty.density()).toEqual([])
    await empty.close()
  })

  it('refuses what it cannot do', async () => {
    expect(await codeOf(store.density({ steps: 0 }))).toBe('InvalidArgument')
    expect(await codeOf(store.density({ steps: 1001 }))).toBe('InvalidArgument')
    expect(await codeOf(store.density({ prefix: 'a/' }))).toBe('InvalidArgument')
    expect(await codeOf(store.density({ until: 353 }))).toBe('MomentOutOfRange')
    expect(await codeOf(store.density({ until: timeAfter(60_000) }))).toBe('MomentOutOfRange')
    await expect(store.density({ signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop')
  })
})
