/**
 * A process that writes until something stops it. It receives its orders as one line. From then on it reports what it
 * does, in JSON lines. It ends when the process that sent the orders ends.
 */
import { readdirSync, readFileSync, writeSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { isStorageError, type Store } from '@varve/core'
import { keepCounts } from './counts.ts'
import { openWriterStore } from './open-writer-store.ts'
import { actionOf, bodyOf, buckets, keyOf, type Orders, partBytes, type Claim, workers } from './load.ts'

const report = (what: object): void => {
  // Synchronous, so that no message is lost with the process.
  writeSync(1, `${JSON.stringify(what)}\n`)
}

/** The thread that works with files, where there is but one: the one that wakes up for every call. */
async function findFileThread(): Promise<number> {
  const wakings = () => new Map(readdirSync('/proc/self/task').map((thread) => [Number(thread), wakingsOf(thread)]))
  const before = wakings()
  for (let i = 0; i < 50; i++) await access('/')
  const woken = [...wakings()].map(([thread, count]) => [thread, count - (before.get(thread) ?? 0)] as const)
  const [most] = woken.filter(([thread]) => thread !== process.pid).sort(([, a], [, b]) => b - a)
  return most?.[0] ?? process.pid
}

const wakingsOf = (thread: string): number =>
  Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`/proc/self/task/${thread}/status`, 'utf8'))?.[1])

createInterface({ input: process.stdin })
  .once('line', (line) => {
    run(JSON.parse(line) as Orders).then(() => process.exit(0), failed)
  })
  .once('close', () => process.exit(0))
if (process.env['UV_THREADPOOL_SIZE'] === '1') report({ fileThread: await findFileThread() })

function failed(error: unknown): never {
  console.error(error)
  process.exit(1)
}

async function run(orders: Orders): Promise<void> {
  const store = await openWriterStore(orders)
  await createBuckets(store)
  report({ opened: store.seq })
  if (orders.counts === true) keepCounts(store).catch(failed)
  const load = new Load(store, orders)
  await Promise.all(Array.from({ length: workers }, (_, worker) => load.work(worker)))
}

async function createBuckets({ buckets: all }: Store): Promise<void> {
  const there = new Set<string>()
  for await (const { name } of all.list()) there.add(name)
  for (const bucket of Object.values(buckets)) if (!there.has(bucket)) await all.create(bucket)
  await all.setVersioning(buckets.versioned, 'Enabled')
}

/** The state of a worker's own keys, as far as the worker wrote them itself. */
interface Own {
  readonly worker: number
  /** Bodies by key of the plain bucket. */
  readonly plain: Map<string, number>
  readonly versions: Omit<Claim, 'what' | 'action'>[]
}

type Deed = Omit<Claim, 'what'>

class Load {
  readonly #store: Store
  readonly #orders: Orders
  #next: number

  constructor(store: Store, orders: Orders) {
    this.#store = store
    this.#orders = orders
    this.#next = orders.first
  }

  async work(worker: number): Promise<void> {
    const { first, count = Number.POSITIVE_INFINITY, stubborn = false } = this.#orders
    const own: Own = { worker, plain: new Map(), versions: [] }
    while (this.#next < first + count) {
      const deed = deedOf(own, this.#next++)
      report({ what: 'will', ...deed })
      try {
        const versionId = await this.#act(deed)
        report({ what: 'did', ...deed, ...(versionId !== undefined && { versionId }) })
        remember(own, deed, versionId)
      } catch (error) {
        if (!stubborn || !isStorageError(error)) throw error
        report({ what: 'refused', ...deed, code: error.code, message: error.message })
      }
    }
  }

  async #act({ action, key, number, versionId }: Deed): Promise<string | undefined> {
    const { objects } = this.#store
    switch (action) {
      case 'put':
        await objects.put(buckets.plain, key, bodyOf(number))
        return undefined
      case 'copy':
        await objects.copy({ bucket: buckets.plain, key: sourceOf(key) }, buckets.plain, key)
        return undefined
      case 'delete':
        await objects.delete(buckets.plain, key)
        return undefined
      case 'version':
        return (await objects.put(buckets.versioned, key, bodyOf(number))).versionId
      case 'marker':
        return (await objects.delete(buckets.versioned, key)).versionId
      case 'remove':
        await objects.delete(buckets.versioned, key, { versionId: versionId as string })
        return versionId
      case 'upload':
      case 'abort':
        return this.#upload(key, number, action)
      case 'sweep':
        await this.#store.sweep({ orphans: true })
        return undefined
    }
  }

  async #upload(key: string, number: number, end: 'upload' | 'abort'): Promise<undefined> {
    const { uploads } = this.#store
    const upload = await uploads.create(buckets.plain, key)
    const body = bodyOf(number)
    const parts = [await uploads.uploadPart(upload, 1, body.slice(0, partBytes))]
    if (body.length > partBytes) parts.push(await uploads.uploadPart(upload, 2, body.slice(partBytes)))
    if (end === 'abort') await uploads.abort(upload)
    else await uploads.complete(upload, parts)
  }
}

/** Where the copies of a key come from. */
const sourceOf = (key: string): string => `${key}/source`

function deedOf(own: Own, number: number): Deed {
  const action = actionOf(number)
  const key = keyOf(own.worker, number)
  if (action === 'copy') {
    const copied = own.plain.get(sourceOf(key))
    return copied === undefined ? { action: 'put', key: sourceOf(key), number } : { action, key, number: copied }
  }
  if (action === 'remove') {
    const removed = own.versions.shift()
    return removed === undefined ? { action: 'version', key, number } : { action, ...removed }
  }
  return { action, key, number }
}

function remember(own: Own, { action, key, number }: Deed, versionId: string | undefined): void {
  if (action === 'put') own.plain.set(key, number)
  if (action === 'version' && versionId !== undefined) own.versions.push({ key, number, versionId })
}
