import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { type OpenHandles, watchHandles } from './open-handles.fixture.ts'

const mebibyte = 1024 * 1024
const chunkBytes = 128 * 1024
const size = 2 * mebibyte + 300_000
const bytes = Uint8Array.from({ length: size }, (_, i) => (i * 7 + (i >> 16)) % 251)

let ports: MemoryPorts
let store: Store
let handles: OpenHandles
/** Ranges that were read, in chunks. */
const reads = () => handles.reads.map(({ start, end }) => [start / chunkBytes, end / chunkBytes])

beforeEach(async () => {
  ports = memoryPorts()
  handles = watchHandles(ports.blobs)
  store = await openEngine(ports)
  await store.buckets.create('box')
  await store.objects.put('box', 'k', bytes)
})

async function thriftyReader(options = {}) {
  const { body, range = { start: 0, end: size } } = await store.objects.get('box', 'k', { thrifty: true, ...options })
  const chunks = body[Symbol.asyncIterator]()
  return { next: async () => (await chunks.next()).value as Uint8Array, body, range }
}

const damage = (at: number) => {
  for (const stored of ports.blobs.bytes.values()) stored[at] = ~(stored[at] ?? 0)
}

describe('a thrifty reader', () => {
  it.each([
    undefined,
    { first: 0, last: chunkBytes },
    { first: 100, last: 1_200_000 },
    { first: mebibyte - 1, last: mebibyte },
    { first: 2 * mebibyte - 1 },
    { suffix: 1 },
  ])('gives the bytes of the range %o, in small chunks that keep nothing else', async (range) => {
    const {
      body,
      range: { start, end },
    } = await thriftyReader(range && { range })
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThanOrEqual(chunkBytes)
    expect(Buffer.compare(Buffer.concat(chunks), bytes.subarray(start, end))).toBe(0)
    expect(handles.count).toBe(0)
  })

  it('reads a run once to check it, and each piece once more', async () => {
    const { next } = await thriftyReader({ range: { first: 0, last: mebibyte } })
    expect(reads()).toEqual([
      [0, 8],
      [0, 1],
    ])
    for (let i = 0; i < 8; i++) await next()
    expect(reads().slice(2)).toEqual([
      [1, 2],
      [2, 3],
      [3, 4],
      [4, 5],
      [5, 6],
      [6, 7],
      [7, 8],
    ])
    await next()
    expect(reads().slice(9)).toEqual([[8, 16]])
  })

  it('gives no byte of a run that is damaged anywhere', async () => {
    damage(2 * mebibyte - 1)
    const { next } = await thriftyReader()
    for (let i = 0; i < 8; i++) expect((await next()).length).toBe(chunkBytes)
    expect(await codeOf(next())).toBe('BlobCorrupt')
    expect(handles.count).toBe(0)
    damage(0)
    expect(await codeOf(thriftyReader())).toBe('BlobCorrupt')
    expect(handles.count).toBe(0)
  })

  it('gives no byte of a piece that went bad after its run was checked', async () => {
    const { next } = await thriftyReader()
    damage(3 * chunkBytes + 5)
    for (let i = 0; i < 3; i++) expect((await next()).length).toBe(chunkBytes)
    expect(await codeOf(next())).toBe('BlobCorrupt')
    expect(handles.count).toBe(0)
  })

  it('has all of the bytes even if they are erased meanwhile', async () => {
    const { next, body } = await thriftyReader()
    const taken = [await next()]
    await store.objects.delete('box', 'k')
    await store.sweep()
    for await (const chunk of body) taken.push(chunk)
    expect(Buffer.compare(Buffer.concat(taken), bytes)).toBe(0)
    await store.sweep()
    expect(ports.blobs.bytes.size).toBe(0)
  })

  it('lets go of the blob with its last piece, and of one that is left', async () => {
    const { next } = await thriftyReader({ range: { first: 0, last: mebibyte - 1 } })
    for (let i = 0; i < 7; i++) await next()
    expect(handles.count).toBe(1)
    await next()
    expect(handles.count).toBe(0)
    const left = await thriftyReader()
    await left.next()
    await left.body[Symbol.asyncIterator]().return?.()
    expect(handles.count).toBe(0)
  })

  it('reads whole pieces of a run into one buffer when chunks are lent, and shorter ones into buffers of their own', async () => {
    const { body, range } = await thriftyReader({ reuseBuffers: true, range: { first: 100, last: 1_200_000 } })
    const [buffers, kept, taken] = [new Set<ArrayBufferLike>(), [] as Uint8Array[], [] as Uint8Array[]]
    for await (const chunk of body) {
      if (chunk.length === chunkBytes) buffers.add(chunk.buffer)
      kept.push(chunk.length === chunkBytes ? chunk.slice() : chunk)
      taken.push(chunk.slice())
    }
    // A run of 1 MiB, and what is wanted of the next.
    expect(buffers.size).toBe(2)
    expect(Buffer.concat(taken).equals(bytes.subarray(range.start, range.end))).toBe(true)
    expect(Buffer.concat(kept).equals(Buffer.concat(taken))).toBe(true)
  })

  it('holds nothing of what is small', async () => {
    await thriftyReader({ range: { first: 7, last: 7 + chunkBytes - 1 } })
    expect(handles.count).toBe(0)
  })
})

describe('a reader that has its buffers used again', () => {
  const reader = (options = {}) => store.objects.get('box', 'k', { reuseBuffers: true, ...options })

  it.each([undefined, { first: 100, last: 1_200_000 }, { first: mebibyte - 1, last: mebibyte }, { suffix: 300_001 }])(
    'gives the bytes of the range %o if each chunk is used at once',
    async (range) => {
      const { body, range: { start, end } = { start: 0, end: size } } = await reader(range && { range })
      const taken: Uint8Array[] = []
      for await (const chunk of body) taken.push(chunk.slice())
      expect(Buffer.compare(Buffer.concat(taken), bytes.subarray(start, end))).toBe(0)
      expect(handles.count).toBe(0)
    },
  )

  it('reads run after run, and object after object, into one buffer', async () => {
    const buffers = new Set<ArrayBufferLike>()
    for (let i = 0; i < 3; i++) for await (const { buffer } of (await reader()).body) buffers.add(buffer)
    expect(buffers.size).toBe(1)
  })

  it('reads into another while a chunk is still in use', async () => {
    const holds = (await reader()).body[Symbol.asyncIterator]()
    const { value: held } = await holds.next()
    for await (const chunk of (await reader({ range: { first: mebibyte } })).body)
      expect(chunk.buffer).not.toBe(held.buffer)
    expect(Buffer.compare(held, bytes.subarray(0, mebibyte))).toBe(0)
  })

  it('does not overwrite a chunk of a read that was ended early', async () => {
    const left = (await reader()).body[Symbol.asyncIterator]()
    const { value: kept } = await left.next()
    await left.return?.()
    for await (const chunk of (await reader({ range: { first: mebibyte } })).body)
      expect(chunk.buffer).not.toBe(kept.buffer)
    expect(Buffer.compare(kept, bytes.subarray(0, mebibyte))).toBe(0)
  })

  it('gives small ranges in bytes that stay, so that they may be queued', async () => {
    const range = { first: mebibyte - chunkBytes, last: mebibyte }
    const taken: Uint8Array[] = []
    for await (const chunk of (await reader({ range })).body) taken.push(chunk)
    for await (const _ of (await reader()).body);
    expect(taken.map(({ length }) => length)).toEqual([chunkBytes, 1])
    expect(Buffer.compare(Buffer.concat(taken), bytes.subarray(range.first, range.last + 1))).toBe(0)
  })

  it.each([{ first: 0, last: mebibyte - 1 }, undefined])(
    'gives all of the range %o in bytes that stay',
    async (range) => {
      const whole = await (await reader(range && { range })).bytes()
      for await (const _ of (await reader({ range: { first: mebibyte } })).body);
      expect(Buffer.compare(whole, bytes.subarray(0, range ? mebibyte : size))).toBe(0)
    },
  )

  it('gives no byte of a run that is damaged anywhere', async () => {
    damage(2 * mebibyte - 1)
    const chunks = (await reader()).body[Symbol.asyncIterator]()
    expect((await chunks.next()).value.length).toBe(mebibyte)
    expect(await codeOf(chunks.next())).toBe('BlobCorrupt')
    expect(handles.count).toBe(0)
  })
})
