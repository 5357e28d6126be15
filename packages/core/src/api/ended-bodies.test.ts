import { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf, list } from './answers.fixture.ts'
import { type MemoryPorts, memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

let ports: MemoryPorts
let store: Store
let full = false

beforeEach(async () => {
  full = false
  ports = { ...memoryPorts(), reserve: { exhausted: async () => full } }
  store = await openEngine(ports, { inlineMax: 64 })
  await store.buckets.create('box')
})

/** Counts how often it is ended, however far it was read. */
function counted(chunks = 3, size = 100) {
  let left = chunks
  let ended = 0
  const body: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => body,
    async next() {
      return left-- > 0 ? { done: false, value: new Uint8Array(size) } : { done: true, value: undefined }
    },
    async return() {
      ended++
      return { done: true, value: undefined }
    },
  }
  return { body, ended: () => ended }
}

interface Refusal {
  readonly of: string
  readonly code: string
  readonly call: (body: AsyncIterable<Uint8Array>) => Promise<unknown>
  readonly before?: () => unknown
}

const put = (body: AsyncIterable<Uint8Array>, options = {}) => store.objects.put('box', 'k', body, options)
const upload = () => store.uploads.create('box', 'k')
const noUpload = { bucket: 'box', key: 'k', uploadId: 'none' }

const refusals: readonly Refusal[] = [
  { of: 'a bucket that is not there', code: 'NoSuchBucket', call: (body) => store.objects.put('none', 'k', body) },
  { of: 'a long key', code: 'KeyTooLongError', call: (body) => store.objects.put('box', 'k'.repeat(1025), body) },
  { of: 'much metadata', code: 'MetadataTooLarge', call: (body) => put(body, { metadata: { m: 'x'.repeat(3000) } }) },
  { of: 'a full medium', code: 'NoSpace', call: put, before: () => (full = true) },
  { of: 'a closed store', code: 'StoreClosed', call: put, before: () => store.close() },
  { of: 'no upload', code: 'NoSuchUpload', call: (body) => store.uploads.uploadPart(noUpload, 1, body) },
  { of: 'no part', code: 'InvalidArgument', call: async (body) => store.uploads.uploadPart(await upload(), 0, body) },
  {
    of: 'a part for a closed store',
    code: 'StoreClosed',
    call: (body) => store.uploads.uploadPart(noUpload, 1, body),
    before: () => store.close(),
  },
]

describe('a body that is refused', () => {
  it.each(refusals)('is ended once: $of', async ({ code, call, before }) => {
    await before?.()
    const { body, ended } = counted()
    expect(await codeOf(call(body))).toBe(code)
    expect(ended()).toBe(1)
  })

  it('is ended once when its call was aborted', async () => {
    const reason = new Error('enough')
    for (const call of [
      put,
      async (body: AsyncIterable<Uint8Array>, options: object) => {
        await store.uploads.uploadPart(noUpload, 1, body, options)
      },
    ]) {
      const { body, ended } = counted()
      expect(await codeOf(call(body, { signal: AbortSignal.abort(reason) }))).toBe(reason)
      expect(ended()).toBe(1)
    }
  })

  it('is ended once when the medium takes no more of it', async () => {
    ports.blobs.write = async (_id, source) => {
      for await (const _chunk of source) throw new Error('the disk gave up')
      return 0
    }
    const { body, ended } = counted()
    expect(await codeOf(put(body))).toBe('BlobFailed')
    expect(ended()).toBe(1)
  })

  it('was read to its end when what comes after the bytes is refused', async () => {
    await put(counted().body)
    const { body, ended } = counted()
    expect(await codeOf(put(body, { ifNoneMatch: '*' }))).toBe('PreconditionFailed')
    expect(ended()).toBe(0)
  })

  it('reports why it was refused, even if it cannot be ended', async () => {
    const { body } = counted()
    body.return = () => Promise.reject(new Error('no end'))
    expect(await codeOf(store.objects.put('none', 'k', body))).toBe('NoSuchBucket')
  })

  it('lets go of what a Node stream holds, whether it began or not', async () => {
    const early = new Readable({ read() {} })
    expect(await codeOf(store.objects.put('none', 'k', early))).toBe('NoSuchBucket')
    expect(early.destroyed).toBe(true)

    const silent = new Readable({ read() {} })
    const stop = new AbortController()
    const reason = new Error('enough')
    const late = codeOf(put(silent, { signal: stop.signal }))
    await new Promise((resolve) => setTimeout(resolve, 5))
    stop.abort(reason)
    expect(await late).toBe(reason)
    expect(silent.destroyed).toBe(true)
  })

  it.each<[string, (body: AsyncIterable<Uint8Array>) => Promise<unknown>]>([
    ['of an object', put],
    ['of a part', async (body) => store.uploads.uploadPart(await upload(), 1, body)],
    ['in a transaction', (body) => store.transaction((tx) => tx.objects.put('box', 'k', body))],
  ])('%s is ended when the store closes, however long it would stall', async (_, receive) => {
    for (const sent of [0, 10, 1000]) {
      const silent = new Readable({ read() {} })
      if (sent > 0) silent.push(new Uint8Array(sent))
      const outcome = codeOf(receive(silent))
      await new Promise((resolve) => setTimeout(resolve, 5))
      await store.close()
      expect(await outcome).toBe('StoreClosed')
      expect(silent.destroyed).toBe(true)
      expect(await list(ports.blobs.list())).toEqual([])
      store = await openEngine(ports, { inlineMax: 64 })
    }
  })

  it('is ended with its transaction, which does not wait for it', async () => {
    const silent = new Readable({ read() {} })
    let outcome: Promise<unknown> = Promise.resolve()
    await store.transaction(async (tx) => void (outcome = codeOf(tx.objects.put('box', 'k', silent))))
    expect(await outcome).toBe('TransactionEnded')
    expect(silent.destroyed).toBe(true)
  })

  it('cancels a web stream', async () => {
    let cancelled = 0
    const body = new ReadableStream<Uint8Array>({ cancel: () => void cancelled++ })
    expect(await codeOf(store.objects.put('none', 'k', body))).toBe('NoSuchBucket')
    expect(cancelled).toBe(1)
  })

  it('leaves alone what can be read again', async () => {
    const chunks = new Set([Uint8Array.of(1), Uint8Array.of(2)])
    expect(await codeOf(store.objects.put('none', 'k', chunks))).toBe('NoSuchBucket')
    await store.objects.put('box', 'k', chunks)
    expect(await (await store.objects.get('box', 'k')).bytes()).toEqual(Uint8Array.of(1, 2))
  })
})
