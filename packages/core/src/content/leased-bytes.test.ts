import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { ActiveReads } from './active-reads.ts'
import { type OpenHandles, watchHandles } from './open-handles.fixture.ts'

const large = 3 * 1024 * 1024
let ports: MemoryPorts
let store: Store
let handles: OpenHandles

beforeEach(async () => {
  ports = memoryPorts()
  handles = watchHandles(ports.blobs)
  store = await openEngine(ports, { inlineMax: 64 })
  await store.buckets.create('box')
})

const got = async (size: number) => {
  await store.objects.put('box', 'k', new Uint8Array(size))
  return store.objects.get('box', 'k')
}

/** Whether the bytes of a deleted object are erased, and nothing is left open. */
async function isLetGo(): Promise<boolean> {
  await store.objects.delete('box', 'k')
  await store.sweep()
  return ports.blobs.bytes.size === 0 && handles.count === 0
}

describe('a requested object', () => {
  it.each([1, 64, 65, 1024 * 1024])('holds nothing when all of its %i bytes are there already', async (size) => {
    const object = await got(size)
    expect(await isLetGo()).toBe(true)
    expect((await object.bytes()).length).toBe(size)
  })

  it('holds its bytes until they are read', async () => {
    const object = await got(large)
    expect(await isLetGo()).toBe(false)
    expect((await object.bytes()).length).toBe(large)
    await store.sweep()
    expect(ports.blobs.bytes.size).toBe(0)
  })

  it('is let go when its last byte is read, without another request', async () => {
    const object = await got(large)
    const bytes = object.body[Symbol.asyncIterator]()
    for (let size = 0; size < large; ) size += (await bytes.next()).value?.length as number
    expect(await isLetGo()).toBe(true)
  })

  it.each([
    ['is closed', (object) => object.close()],
    ['is closed twice', (object) => object.close().then(object.close)],
    ['ends before it began', (object) => object.body[Symbol.asyncIterator]().return?.()],
    [
      'is left half way',
      async (object) => {
        for await (const _chunk of object.body) return
      },
    ],
    [
      'is left during a read',
      async (object) => {
        const bytes = object.body[Symbol.asyncIterator]()
        await Promise.all([bytes.next(), bytes.next(), bytes.return?.()])
      },
    ],
  ] as [string, (object: Awaited<ReturnType<typeof got>>) => Promise<unknown>][])(
    'is let go when its body %s',
    async (_name, end) => {
      await end(await got(large))
      expect(await isLetGo()).toBe(true)
    },
  )

  it('is let go when its reader gives up', async () => {
    await store.objects.put('box', 'k', new Uint8Array(large))
    const stop = new AbortController()
    const object = await store.objects.get('box', 'k', { signal: stop.signal })
    stop.abort(new Error('enough'))
    expect(await codeOf(object.bytes())).toEqual(new Error('enough'))
    expect(await isLetGo()).toBe(true)
  })

  it('is let go when its bytes are damaged', async () => {
    const object = await got(large)
    for (const bytes of ports.blobs.bytes.values()) bytes[large - 1] = 1
    expect(await codeOf(object.bytes())).toBe('BlobCorrupt')
    expect(await isLetGo()).toBe(true)
  })

  it('does not appear empty when its bytes are requested again', async () => {
    const object = await got(100)
    expect((await object.bytes()).length).toBe(100)
    expect(await codeOf(object.bytes())).toBeInstanceOf(TypeError)
    expect(await codeOf(object.text())).toBeInstanceOf(TypeError)
    const closed = await got(100)
    await closed.close()
    expect(await codeOf(closed.bytes())).toBeInstanceOf(TypeError)
    const empty = await got(0)
    expect((await empty.bytes()).length).toBe(0)
  })
})

describe('reads in progress', () => {
  it('may be very many', () => {
    const reads = new ActiveReads()
    expect(reads.oldest).toBe(Number.POSITIVE_INFINITY)
    const ends = Array.from({ length: 300_000 }, (_, i) => reads.begin(300_000 - i))
    expect(reads.oldest).toBe(1)
    ends.at(-1)?.()
    expect(reads.oldest).toBe(2)
  })
})
