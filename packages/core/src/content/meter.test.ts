import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { StorageError } from '../base/errors.ts'
import type { CryptographicAlgorithm, DigestAlgorithm, DigestsBeside, Hashing } from '../ports/index.ts'
import { codeOf } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'

/** Takes each chunk a moment after it was given, as a thread that is busy does. */
class Helper {
  readonly requested: CryptographicAlgorithm[][] = []
  free = true
  abandoned = 0
  failsAfter = Infinity

  beside(hashing: Hashing, algorithms: readonly CryptographicAlgorithm[]): DigestsBeside | undefined {
    if (!this.free) return undefined
    this.requested.push([...algorithms])
    const states = new Map(algorithms.map((algorithm) => [algorithm, hashing.create(algorithm)]))
    let left = this.failsAfter
    const fail = () => Promise.reject(new StorageError('InternalError', 'No thread.'))
    return {
      update: (chunk) => {
        if (left-- <= 0) return fail()
        return new Promise((resolve) =>
          setImmediate(() => {
            for (const state of states.values()) state.update(chunk)
            resolve()
          }),
        )
      },
      finish: async () => {
        if (left <= 0) return fail()
        return new Map([...states].map(([algorithm, state]) => [algorithm, state.finish()]))
      },
      abandon: () => void this.abandoned++,
    }
  }
}

let ports: MemoryPorts
let helper: Helper
let own: DigestAlgorithm[]
let store: Store

beforeEach(async () => {
  const plain = memoryPorts()
  helper = new Helper()
  own = []
  const hashing: Hashing = {
    ...plain.hashing,
    create(algorithm) {
      own.push(algorithm)
      return plain.hashing.create(algorithm)
    },
    beside: (algorithms) => helper.beside(plain.hashing, algorithms),
  }
  ports = { ...plain, hashing }
  store = await openEngine(ports, { inlineMax: 64 })
  await store.buckets.create('box')
})

const pieces = 40
/** What is hashed at a time: the first 32 KiB are gathered. */
const hashed = 1 + pieces - 32
const whole = Buffer.concat(Array.from({ length: pieces }, (_, i) => Buffer.alloc(1000, i)))
const hash = (algorithm: string) => createHash(algorithm).update(whole).digest()

/** Fills the same buffer again and again. */
async function* body() {
  const buffer = new Uint8Array(1000)
  for (let i = 0; i < pieces; i++) yield buffer.fill(i)
}

describe('digests of a long body', () => {
  it('are made beside it where somebody is free, and a CRC is not', async () => {
    const checksum = { algorithm: 'SHA256', expected: hash('sha256').toString('base64') } as const
    expect((await store.objects.put('box', 'k', body(), { checksum })).etag).toBe(hash('md5').toString('hex'))
    await store.objects.put('box', 'k', body(), { checksum: { algorithm: 'CRC32' } })
    expect(helper.requested).toEqual([['MD5', 'SHA256'], ['MD5']])
    expect(own).toEqual([])
    expect(Buffer.from(await (await store.objects.get('box', 'k')).bytes()).equals(whole)).toBe(true)
  })

  it('are made here when no helper is free', async () => {
    helper.free = false
    expect((await store.objects.put('box', 'k', body())).etag).toBe(hash('md5').toString('hex'))
    expect(own).toEqual(['MD5'])
  })

  it('are made here for a body that turns out to be short, in the blob store or not', async () => {
    for (const size of [0, 10, 64, 65, 32 * 1024]) await store.objects.put('box', 'k', new Uint8Array(size))
    expect(helper.requested).toEqual([])
    await store.objects.put('box', 'k', new Uint8Array(32 * 1024 + 1))
    expect(helper.requested).toEqual([['MD5']])
  })

  it.each([0, 5, hashed - 1])(
    'that cannot be made after %d chunks fail the write, and leave nothing',
    async (chunks) => {
      helper.failsAfter = chunks
      expect(await codeOf(store.objects.put('box', 'k', body()))).toBe('InternalError')
      expect(ports.blobs.bytes.size).toBe(0)
      expect(await codeOf(store.objects.head('box', 'k'))).toBe('NoSuchKey')
    },
  )

  it('that cannot be finished fail the write, and its bytes go', async () => {
    helper.failsAfter = hashed
    expect(await codeOf(store.objects.put('box', 'k', body()))).toBe('InternalError')
    expect(ports.blobs.bytes.size).toBe(0)
    helper.failsAfter = Infinity
    expect(await store.sweep({ orphans: true })).toEqual({ erased: 0, orphans: 0 })
    expect((await store.objects.put('box', 'k', body())).size).toBe(whole.length)
  })

  it('are let go of when the write is given up, or its source fails', async () => {
    const stop = new AbortController()
    async function* silent() {
      yield whole
      setTimeout(() => stop.abort(new Error('enough')), 5)
      await new Promise(() => undefined)
    }
    expect(await codeOf(store.objects.put('box', 'k', silent(), { signal: stop.signal }))).toEqual(new Error('enough'))
    expect(helper.abandoned).toBe(1)
    async function* broken() {
      yield whole
      throw new Error('broken')
    }
    expect(await codeOf(store.objects.put('box', 'k', broken()))).toEqual(new Error('broken'))
    expect(helper.abandoned).toBe(2)
  })
})
