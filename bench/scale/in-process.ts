/**
 * A store in its own process, for `compare-trees`: opens the store of the given checkout, runs operations on request,
 * and answers with the processor time of each. `node in-process.js ENTRY DIRECTORY`
 */
import { pathToFileURL } from 'node:url'
import type * as Varve from 'varve'
import { inFlight } from '../lib/measure.ts'

export type InProcessOperation = 'put' | 'get' | 'head' | 'list' | 'versions'
export interface InProcessJob {
  readonly operation: InProcessOperation
  readonly count: number
  readonly objects: number
}

const [entry = '', directory = ''] = process.argv.slice(2)
const { openStore } = (await import(pathToFileURL(entry).href)) as typeof Varve
const store: Varve.Store = await openStore(directory)
const bucket = 'bucket'
await store.buckets.create(bucket)
const body = new Uint8Array(4096).fill(120)
const keyOf = (at: number): string => `key-${String(at).padStart(6, '0')}`

const operations: Readonly<Record<InProcessOperation, (key: string) => Promise<unknown>>> = {
  put: (key) => store.objects.put(bucket, key, body),
  get: async (key) => (await store.objects.get(bucket, key)).bytes(),
  head: (key) => store.objects.head(bucket, key),
  list: () => store.objects.listPage(bucket, { limit: 1000 }),
  versions: () => store.versions.listPage(bucket, { limit: 1000 }),
}

process.on('message', ({ operation, count, objects }: InProcessJob) => {
  const before = process.cpuUsage()
  void inFlight(16, count, (at) => operations[operation](keyOf(at % objects))).then(() => {
    const { user, system } = process.cpuUsage(before)
    process.send?.((user + system) / 1000 / count)
  })
})
process.on('disconnect', () => void store.close())
process.send?.('ready')
