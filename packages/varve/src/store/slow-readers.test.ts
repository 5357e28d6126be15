/** Many clients request an object and then read it slowly. The memory held for them is bounded. */
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFetchHandler, createIdentity, presign } from '../http.ts'
import { openStore, type Store } from '../index.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'

const mebibyte = 1024 * 1024
const readers = 80
const bytes = Buffer.alloc(2.5 * mebibyte, 'never the same twice in a row, ')
const chunk = 128 * 1024
/** For the test itself. */
const room = 8 * mebibyte

const scratch = scratchDirectory()
const credentials = { accessKeyId: 'root-key', secretAccessKey: 'root-secret' }
const identities = [createIdentity({ name: 'root', ...credentials, root: true })]
let store: Store
let answer: Awaited<ReturnType<typeof createFetchHandler>>

beforeAll(async () => {
  store = await openStore(scratch.next())
  answer = await createFetchHandler({ store, identities })
  await store.buckets.create('box')
  await store.objects.put('box', 'k', bytes)
})
afterAll(() => store.close())

interface Reading {
  open(): Promise<AsyncIterable<Uint8Array>>
  readonly heldMax: number
}

const readings: Readonly<Record<string, Reading>> = {
  'a store with thrifty reads': {
    open: async () => (await store.objects.get('box', 'k', { thrifty: true })).body,
    heldMax: readers * chunk + room,
  },
  'the server in fetch style': {
    async open() {
      const request = { method: 'GET', rawPath: '/box/k', headers: [['host', 'store.example']] } as const
      const options = { ...credentials, region: 'eu', now: Date.now(), expiresSeconds: 60 }
      const url = `http://store.example/box/k?${presign(request, options).rawQuery}`
      return (await answer(new Request(url))).body as ReadableStream<Uint8Array>
    },
    // The first 32 are given runs of 1 MiB; and each stream has a chunk ready beside the one that was taken.
    heldMax: 32 * 2 * mebibyte + (readers - 32) * 2 * chunk + room,
  },
}

/** Takes one chunk, and much later the rest. */
class SlowReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #taken: Uint8Array[] = []

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#chunks = body[Symbol.asyncIterator]()
  }

  async take(): Promise<boolean> {
    const { done, value } = await this.#chunks.next()
    if (done !== true) this.#taken.push(value)
    return done !== true
  }

  async all(): Promise<Uint8Array> {
    while (await this.take());
    return Buffer.concat(this.#taken)
  }

  async leave(): Promise<void> {
    await this.#chunks.return?.()
  }
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** What is freed takes the system a moment to let go of. */
async function held(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    collectGarbage()
    await delay(20)
  }
  return process.memoryUsage().arrayBuffers
}

describe.each(Object.entries(readings))('%s', (_name, { open, heldMax }) => {
  it(`holds little for ${readers} readers that stall, and has all of the bytes when they go on`, async () => {
    const before = await held()
    const slow = await Promise.all(Array.from({ length: readers }, async () => new SlowReader(await open())))
    await Promise.all(slow.map((reader) => reader.take()))
    expect((await held()) - before).toBeLessThan(heldMax)
    const [first, ...others] = slow
    const last = others.pop()
    for (const reader of [first, last]) expect(Buffer.compare((await reader?.all()) as Uint8Array, bytes)).toBe(0)
    await Promise.all(others.map((reader) => reader.leave()))
  })
})
