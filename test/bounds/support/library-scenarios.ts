/**
 * `node library-scenarios.js NAME DIRECTORY SIZE`: prepares, reports that it is ready, waits for the start message,
 * runs the scenario, and prints its result.
 */
import { once } from 'node:events'
import { open, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { file, isStorageError, openStore, toFile, toReadable, type Store } from 'varve'
import { noise, noiseCheck, noiseStream } from './noise.ts'

type Output = Readonly<Record<string, number | boolean | string>>

interface Scene {
  readonly store: Store
  readonly directory: string
  /** Bytes, or how many: the scenario's business. */
  readonly size: number
}

interface Scenario {
  prepare?(scene: Scene): Promise<void>
  run(scene: Scene): Promise<Output>
}

const bucket = 'bounds'
const warmUpBytes = 8 * 2 ** 20

const get = (store: Store, key: string) => store.objects.get(bucket, key)

async function isRight(store: Store, key: string, size: number, seed = 0): Promise<boolean> {
  const check = noiseCheck(size, seed)
  for await (const chunk of (await get(store, key)).body) check.take(chunk)
  return check.isRight()
}

const putNoise = ({ store, size }: Scene) => store.objects.put(bucket, 'large', noiseStream(size))

async function writeNoise(path: string, size: number): Promise<void> {
  const target = await open(path, 'w')
  for (const chunk of noise(size)) await target.write(chunk)
  await target.close()
}

/** What a body of 1 MiB is uploaded as. */
const uploadBytes = 2 ** 20
const atOnce = <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))

/** Slow enough that all are under way together. */
async function* dripped(size: number, seed: number): AsyncGenerator<Buffer> {
  for (const chunk of noise(size, seed)) {
    yield chunk
    await delay(20)
  }
}

async function addObjects(store: Store, count: number): Promise<void> {
  const together = 2000
  for (let from = 0; from < count; from += together) {
    await atOnce(Math.min(together, count - from), (i) =>
      store.objects.put(bucket, `k${String(from + i).padStart(8, '0')}`, 'x'),
    )
  }
}

const scenarios = {
  'put a file': {
    prepare: ({ directory, size }) => writeNoise(join(directory, 'source'), size),
    async run({ store, directory, size }) {
      await store.objects.put(bucket, 'large', file(join(directory, 'source')))
      return { right: await isRight(store, 'large', size) }
    },
  },
  'put a stream': {
    async run(scene) {
      await putNoise(scene)
      return { right: await isRight(scene.store, 'large', scene.size) }
    },
  },
  'get to a file': {
    prepare: async (scene) => void (await putNoise(scene)),
    async run({ store, directory, size }) {
      const path = join(directory, 'target')
      await toFile(await get(store, 'large'), path)
      const right = (await stat(path)).size === size
      await unlink(path)
      return { right }
    },
  },
  'get as a slow stream': {
    prepare: async (scene) => void (await putNoise(scene)),
    async run({ store, size }) {
      const check = noiseCheck(size)
      let pieces = 0
      for await (const chunk of toReadable(await get(store, 'large'))) {
        check.take(chunk as Buffer)
        if (++pieces % 64 === 0) await delay(1)
      }
      return { right: check.isRight() }
    },
  },
  'many uploads at once': {
    async run({ store, size }) {
      const results = await atOnce(size, async (i) => {
        if (i % 2 === 0) await store.objects.put(bucket, `k${i}`, dripped(uploadBytes, i))
        else {
          const upload = await store.uploads.create(bucket, `k${i}`)
          const part = await store.uploads.uploadPart(upload, 1, dripped(uploadBytes, i))
          await store.uploads.complete(upload, [part])
        }
        return i
      })
      let right = 0
      for (const i of results) if (await isRight(store, `k${i}`, uploadBytes, i)) right++
      return { right }
    },
  },
  'uploads that never end': {
    async run({ store, size }) {
      for (let from = 0; from < size; from += 500) {
        await atOnce(Math.min(500, size - from), async (i) => {
          const upload = await store.uploads.create(bucket, `k${from + i}`)
          await store.uploads.uploadPart(upload, 1, 'p'.repeat(100))
        })
      }
      let listed = 0
      for await (const _upload of store.uploads.list(bucket)) listed++
      return { listed }
    },
  },
  'list every key': {
    prepare: ({ store, size }) => addObjects(store, size),
    async run({ store }) {
      let [listed, last, sorted] = [0, '', true]
      for await (const page of store.objects.list(bucket).pages()) {
        for (const entry of page.entries) {
          const key = entry.kind === 'object' ? entry.key : ''
          sorted &&= key > last
          last = key
          listed++
        }
      }
      return { listed, sorted }
    },
  },
  'a follower that stalls': {
    // As much as comes later, so that what writing takes is there already.
    prepare: ({ store, size }) => addObjects(store, size),
    async run({ store, size }) {
      const stop = new AbortController()
      const followers = Array.from({ length: 5 }, () =>
        store.log({ follow: true, signal: stop.signal })[Symbol.asyncIterator](),
      )
      for (const follower of followers) await follower.next()
      await addObjects(store, size)
      // None of what it slept through is missing.
      const [late] = followers
      let heard = 1
      while (heard < store.seq) {
        const { value } = (await late?.next()) ?? {}
        if (value?.seq !== heard + 1) break
        heard++
      }
      const missing = store.seq - heard
      stop.abort()
      return { missing }
    },
  },
  'more at once than there are handles': {
    async run({ store, size }) {
      const bytes = 100_000
      let refused = 0
      const kept: number[] = []
      await atOnce(size, async (i) => {
        try {
          await store.objects.put(bucket, `k${i}`, dripped(bytes, i))
          kept.push(i)
        } catch (error) {
          if (!isStorageError(error, 'TooManyOpenFiles')) throw error
          refused++
        }
      })
      let right = 0
      for (const i of kept) if (await isRight(store, `k${i}`, bytes, i)) right++
      return { refused: refused > 0, lost: kept.length - right, state: store.state, some: right > 0 }
    },
  },
  'unread objects': {
    async run({ store, size }) {
      await store.objects.put(bucket, 'small', 'x'.repeat(100_000))
      for (let i = 0; i < size; i++) await get(store, 'small')
      await store.objects.delete(bucket, 'small')
      const { erased } = await store.sweep()
      return { erased: erased <= 1 }
    },
  },
} satisfies Record<string, Scenario>

export type ScenarioName = keyof typeof scenarios

if (process.send !== undefined) {
  // The measuring process ends this one when everything is measured.
  setInterval(() => undefined, 1000)
  process.once('disconnect', () => process.exit())
  const [name = '', directory = '', size = ''] = process.argv.slice(2)
  const scenario: Scenario = scenarios[name as ScenarioName]
  const store = await openStore(join(directory, 'store'))
  const scene: Scene = { store, directory, size: Number(size) }
  await store.buckets.create(bucket)
  // Everything compiled and every cache made, before the figures begin.
  await store.objects.put(bucket, 'warm', noiseStream(warmUpBytes))
  await isRight(store, 'warm', warmUpBytes)
  await store.objects.delete(bucket, 'warm')
  await scenario.prepare?.(scene)
  process.send({ prepared: true })
  await once(process, 'message')
  process.send(await scenario.run(scene))
}
