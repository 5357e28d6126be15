import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../api/answers.fixture.ts'
import { memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { type InOnePiece, onePiece } from './one-piece.ts'

let store: Store

beforeEach(async () => {
  store = await openEngine(memoryPorts(), { inlineMax: 64 })
  await store.buckets.create('box')
})

type Given = AsyncIterable<Uint8Array> & InOnePiece

/** A body that must not be iterated. */
const inOnePiece = (take: NonNullable<InOnePiece[typeof onePiece]>): Given => ({
  [onePiece]: take,
  [Symbol.asyncIterator]: () => {
    throw new Error('The body was iterated.')
  },
})

describe('a body that can be taken in one piece', () => {
  it.each([0, 10, 64, 65, 60_000])('is stored as it is: %i bytes', async (size) => {
    const bytes = Buffer.alloc(size, 'x')
    for (const take of [() => bytes, async () => bytes]) {
      await store.objects.put('box', 'k', inOnePiece(take))
      expect(Buffer.from(await (await store.objects.get('box', 'k')).bytes())).toEqual(bytes)
    }
  })

  it('is not taken if the write is refused before', async () => {
    let isTaken = false
    const body = { ...inOnePiece(() => new Uint8Array()), async *[Symbol.asyncIterator]() {} }
    body[onePiece] = () => {
      isTaken = true
      return new Uint8Array()
    }
    expect(await codeOf(store.objects.put('missing', 'k', body))).toBe('NoSuchBucket')
    expect(isTaken).toBe(false)
  })

  it('fails with its own error, and stores nothing', async () => {
    const failing = inOnePiece(() => Promise.reject(new Error('cut off')))
    await expect(store.objects.put('box', 'k', failing)).rejects.toThrow('cut off')
    expect(await store.objects.exists('box', 'k')).toBe(false)
  })

  it('must give bytes', async () => {
    const wrong = inOnePiece(() => 'text' as unknown as Uint8Array)
    expect(await codeOf(store.objects.put('box', 'k', wrong))).toBe('InvalidArgument')
  })

  it('does not keep a store from closing while it stalls', async () => {
    const stalled = inOnePiece(() => new Promise(() => undefined))
    const putting = codeOf(store.objects.put('box', 'k', stalled))
    await store.close()
    expect(await putting).toBe('StoreClosed')
  })
})
