import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'

/** More than a read has in memory. */
const large = 'v'.repeat(3_000_000)

let ports: MemoryPorts
let stores: Store[]

beforeEach(async () => {
  ports = memoryPorts()
  ports.journal.exclusive = false
  const timer = {
    pause: async (ms: number, signal?: AbortSignal) => setTimeout(ms, undefined, { signal }),
    nextTurn: async () => setTimeout(0),
  }
  const clock = { ...ports.clock, now: () => Date.now(), monotonic: () => performance.now() }
  const open = async () => openEngine({ ...ports, clock, timer }, { inlineMax: 64 })
  stores = [await open(), await open()]
  await stores[0]?.buckets.create('box')
})

afterEach(async () => {
  for (const store of stores) await store.close()
})

const erase = async (store: Store | undefined) => store?.erase({ bucket: 'box', key: 'k', live: true })

describe('an erasure on purpose on one of two engines', () => {
  it.each([0, 1])('has ended when engine %i answers', async (eraser) => {
    await stores[0]?.objects.put('box', 'k', large)
    expect(await erase(stores[eraser])).toMatchObject({ pending: 0 })
    expect(ports.blobs.bytes.size).toBe(0)
  })

  it('is pending while the other one reads the bytes, and ends by itself then', async () => {
    await stores[0]?.objects.put('box', 'k', large)
    const reading = await stores[1]?.objects.get('box', 'k')
    expect(await erase(stores[0])).toMatchObject({ pending: 1 })
    expect(await reading?.text()).toBe(large)
    await expect.poll(() => ports.blobs.bytes.size, { timeout: 30_000 }).toBe(0)
  })

  it('is pending at once while a read of its own engine needs the bytes', async () => {
    await stores[0]?.objects.put('box', 'k', large)
    const reading = await stores[0]?.objects.get('box', 'k')
    expect(await erase(stores[0])).toMatchObject({ pending: 1 })
    expect(await reading?.text()).toBe(large)
    await expect.poll(() => ports.blobs.bytes.size, { timeout: 30_000 }).toBe(0)
  })
})
