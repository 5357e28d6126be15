import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'

let ports: MemoryPorts
let store: Store
let began: number

const seqAt = async (moment: Parameters<Store['at']>[0]) => (await store.at(moment)).seq
const timeAfter = (ms: number) => new Date(began + ms)

/** One event each second: positions 1, 2 and 3. */
beforeEach(async () => {
  ports = memoryPorts()
  began = ports.clock.time
  store = await openEngine(ports, {})
  for (const bucket of ['one', 'two', 'three']) {
    await store.buckets.create(bucket)
    ports.clock.time += 1000
  }
})

describe('a moment', () => {
  it('is a position, from before the first event to the last', async () => {
    for (const seq of [0, 1, 3]) expect(await seqAt(seq)).toBe(seq)
    expect(await seqAt('2')).toBe(2)
  })

  it('is a time, and stands for the last event that was not later', async () => {
    expect(await seqAt(timeAfter(0))).toBe(1)
    expect(await seqAt(timeAfter(999))).toBe(1)
    expect(await seqAt(timeAfter(1000))).toBe(2)
    expect(await seqAt(timeAfter(3000))).toBe(3)
    expect(await seqAt(timeAfter(1500).toISOString())).toBe(2)
    expect(await seqAt(timeAfter(1500).toISOString().replaceAll(/[-:.]/g, '').toLowerCase())).toBe(2)
  })

  it('stands for the same position when later events were recorded', async () => {
    const now = timeAfter(3000)
    expect(await seqAt(now)).toBe(3)
    ports.clock.time += 1
    await store.buckets.create('four')
    expect(await seqAt(now)).toBe(3)
  })

  it('is now at most', async () => {
    expect(await codeOf(store.at(timeAfter(3001)))).toBe('MomentOutOfRange')
    expect(await codeOf(store.at(4))).toBe('MomentOutOfRange')
  })

  it('is not before the first event, except as position 0', async () => {
    expect(await codeOf(store.at(timeAfter(-1)))).toBe('MomentOutOfRange')
    expect(await codeOf(store.at('0001-01-01T00:00:00Z'))).toBe('MomentOutOfRange')
    expect(await seqAt(0)).toBe(0)
  })

  it('is any time that the log has, even if a clock recorded it too early', async () => {
    ports.clock.time -= 10_000
    expect(await seqAt(timeAfter(2000))).toBe(3)
    expect(await codeOf(store.at(timeAfter(2001)))).toBe('MomentOutOfRange')
    // Everything that was recorded has happened, whatever the clock shows now.
    expect(await seqAt(new Date(ports.clock.time))).toBe(3)
  })

  it('is any time up to now in a store without events', async () => {
    store = await openEngine(memoryPorts(), {})
    expect(await seqAt(new Date(began))).toBe(0)
    expect(await seqAt(0)).toBe(0)
    expect(await codeOf(store.at(new Date(began + 1)))).toBe('MomentOutOfRange')
  })

  it('is no snapshot that there is not', async () => {
    expect(await codeOf(store.at('before-import'))).toBe('NoSuchSnapshot')
  })

  it.each([
    -1,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    new Date(Number.NaN),
    '',
    'Before',
    null,
    undefined,
    {},
    [1],
    1n,
  ])('is not %s', async (given) => {
    expect(await codeOf(store.at(given as never))).toBe('InvalidArgument')
  })
})
