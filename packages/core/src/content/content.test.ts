import { crc32 } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { crcChunkBytes } from '../bytes/crc-chunks.ts'

let ports: MemoryPorts
let store: Store

const open = async (inlineMax: number) => {
  ports = memoryPorts()
  store = await openEngine(ports, { inlineMax })
  await store.buckets.create('box')
}
const bytesOf = async (key: string, range = {}) => (await store.objects.get('box', key, range)).bytes()

beforeEach(() => open(64))

describe('bytes on their way in', () => {
  it('keeps what a source gave, though it fills the same buffer again and again', async () => {
    async function* source(pieces: number) {
      const buffer = new Uint8Array(10)
      for (let i = 0; i < pieces; i++) yield buffer.fill(i)
    }
    for (const pieces of [1, 3, 50]) {
      await store.objects.put('box', `${pieces}`, source(pieces))
      const expected = Uint8Array.from({ length: pieces * 10 }, (_, i) => Math.floor(i / 10))
      expect(Uint8Array.from(await bytesOf(`${pieces}`))).toEqual(expected)
    }
  })

  it.each([0, 1, 64, 65, crcChunkBytes, crcChunkBytes + 1, 3 * crcChunkBytes, 3 * crcChunkBytes + 5])(
    'gives %d bytes the requested CRC-32, combined from those of their runs',
    async (size) => {
      const bytes = new Uint8Array(size).map((_, i) => i % 249)
      const expected = Buffer.alloc(4)
      expected.writeUInt32BE(crc32(bytes))
      const checksum = { algorithm: 'CRC32', expected: expected.toString('base64') } as const
      expect((await store.objects.put('box', 'k', bytes, { checksum })).checksum?.value).toBe(checksum.expected)
      const wrong = store.objects.put('box', 'k', new Uint8Array(size + 1), { checksum })
      expect(await codeOf(wrong)).toBe('BadDigest')
    },
  )

  it('stops at once when it is aborted, even if the source is silent', async () => {
    const stop = new AbortController()
    async function* silentAfter(bytes: number) {
      yield new Uint8Array(bytes)
      await new Promise(() => undefined)
    }
    const puts = [1, 100].map((bytes) =>
      store.objects
        .put('box', `${bytes}`, silentAfter(bytes), { signal: stop.signal })
        .catch((error: unknown) => error),
    )
    await new Promise((resolve) => setTimeout(resolve, 5))
    stop.abort(new Error('enough'))
    const late = new Promise((resolve) => setTimeout(resolve, 500, 'still waiting'))
    for (const put of puts) expect(await Promise.race([put, late])).toEqual(new Error('enough'))
  })

  it('leaves bytes it cannot discard to the sweep', async () => {
    const remove = ports.blobs.delete
    ports.blobs.delete = () => Promise.reject(new Error('busy'))
    await store.objects.put('box', 'k', 'v'.repeat(100))
    expect(await codeOf(store.objects.put('box', 'k', 'w'.repeat(100), { ifNoneMatch: '*' }))).toBe(
      'PreconditionFailed',
    )
    ports.blobs.delete = remove
    expect(ports.blobs.bytes.size).toBe(2)
    expect(await store.sweep({ orphans: true })).toMatchObject({ orphans: 1 })
    expect(ports.blobs.bytes.size).toBe(1)
  })
})

describe('bytes on their way out', () => {
  it('reads inline bytes of more than one run', async () => {
    await open(3 * crcChunkBytes)
    const bytes = new Uint8Array(2 * crcChunkBytes + 5).map((_, i) => i % 251)
    await store.objects.put('box', 'k', bytes)
    expect(ports.blobs.bytes.size).toBe(0)
    expect(Buffer.compare(await bytesOf('k'), bytes)).toBe(0)
    const range = { range: { first: crcChunkBytes - 1, last: crcChunkBytes } }
    expect(await bytesOf('k', range)).toEqual(bytes.slice(crcChunkBytes - 1, crcChunkBytes + 1))
  })
})
