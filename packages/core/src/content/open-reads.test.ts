import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import type { ObjectContent } from '../api/types/index.ts'
import { type OpenHandles, watchHandles } from './open-handles.fixture.ts'

const idleMs = 1000
const large = 'l'.repeat(3 * 1024 ** 2)

let ports: MemoryPorts
let time: number
let store: Store
let handles: OpenHandles

beforeEach(async () => {
  const plain = memoryPorts()
  time = 0
  ports = { ...plain, clock: { ...plain.clock, now: () => 1_700_000_000_000, monotonic: () => time } }
  store = await openEngine(ports, { inlineMax: 64 })
  handles = watchHandles(ports.blobs)
  await store.buckets.create('box')
  await store.objects.put('box', 'large', large)
  await store.objects.put('box', 'small', 'small')
  await store.objects.put('box', 'middling', 'm'.repeat(1000))
})

const next = ({ body }: ObjectContent) => body[Symbol.asyncIterator]().next()

/** Time passes, and is looked at as often as a process does. */
async function pass(ms: number) {
  const ended = []
  for (let step = 0; step < 4; step++) {
    time += ms / 4
    ended.push(...(await store.expireReads(idleMs)))
  }
  return ended
}

describe('an unread body', () => {
  it('is ended, reported once, and releases its handle and the bytes it kept', async () => {
    const object = await store.objects.get('box', 'large')
    await store.objects.delete('box', 'large')
    await store.sweep()
    expect(handles.count).toBe(1)
    const left = { bucket: 'box', key: 'large', versionId: object.versionId, unread: large.length }
    expect(await pass(2 * idleMs)).toEqual([left])
    expect(await pass(2 * idleMs)).toEqual([])
    expect(handles.count).toBe(0)
    await store.sweep()
    expect(ports.blobs.bytes.size).toBe(1)
    expect(await codeOf(object.text())).toBe('ReadExpired')
    expect(await codeOf(next(object))).toBe('ReadExpired')
    await object.close()
  })

  it('is ended in the middle too, and of the past', async () => {
    const past = await store.at(store.seq)
    for (const objects of [store.objects, past.objects]) {
      const object = await objects.get('box', 'large')
      await next(object)
      expect(await pass(2 * idleMs)).toMatchObject([{ unread: 2 * 1024 ** 2 }])
      expect(await codeOf(next(object))).toBe('ReadExpired')
      expect(handles.count).toBe(0)
    }
  })

  it('stays while less time has passed', async () => {
    const object = await store.objects.get('box', 'large')
    expect(await pass(0.9 * idleMs)).toEqual([])
    expect(await object.text()).toBe(large)
  })
})

describe('a body that holds nothing', () => {
  it('can be read whenever its reader wants: one read ahead, read to its end or closed', async () => {
    const ahead = await Promise.all(['small', 'middling'].map((key) => store.objects.get('box', key)))
    await (await store.objects.get('box', 'large')).text()
    await (await store.objects.get('box', 'large')).close()
    expect(await pass(10 * idleMs)).toEqual([])
    expect(await Promise.all(ahead.map((object) => object.text()))).toEqual(['small', 'm'.repeat(1000)])
  })
})

describe('a slow reader', () => {
  it('is not cut off while it takes a chunk now and then', async () => {
    const object = await store.objects.get('box', 'large')
    let size = 0
    for await (const chunk of object.body) {
      size += chunk.length
      expect(await pass(0.8 * idleMs)).toEqual([])
    }
    expect(size).toBe(large.length)
  })

  it('is not cut off while it waits for the store', async () => {
    const { open } = ports.blobs
    let go = (): void => undefined
    let waits = false
    ports.blobs.open = async (id) => {
      const handle = await open(id)
      return {
        ...handle,
        async read(into, start) {
          if (start > 0) {
            waits = true
            await new Promise<void>((resolve) => (go = resolve))
          }
          return handle.read(into, start)
        },
      }
    }
    const object = await store.objects.get('box', 'large')
    await next(object)
    const second = next(object)
    while (!waits) await new Promise((turn) => setImmediate(turn))
    expect(await pass(10 * idleMs)).toEqual([])
    go()
    expect((await second).value).toHaveLength(1024 ** 2)
    await object.close()
  })
})

it('is a whole number of milliseconds, how long a body may be left', async () => {
  for (const wrong of [-1, 0.5, Number.NaN, '5' as never])
    await expect(store.expireReads(wrong)).rejects.toThrow('idleMs must be a whole number')
})
