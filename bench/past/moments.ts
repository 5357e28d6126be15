/** GET and LIST as of a moment beside live ones, with so many versions of each key before the moment and after it. */
import { join } from 'node:path'
import { openStore, type PastStore, type Store } from 'varve'
import type { Measure } from '../lib/compared-pairs.ts'
import { inFlight } from '../lib/measure.ts'
import type { PastBench } from './bench.ts'
import { compare, keyOf, processorTime } from './comparing.ts'

const versionings = ['unversioned', 'versioned', 'suspended'] as const
type Versioning = (typeof versionings)[number]

/** Versions of each key before and after the moment. */
type History = readonly [before: number, after: number]
const few: readonly History[] = [
  [1, 0],
  [10, 0],
  [1, 10],
  [10, 10],
]
const getsFor = 4
const body = new Uint8Array(100).fill(120)

export async function compareMoments(bench: PastBench): Promise<void> {
  const store = await openStore(join(bench.directory, 'moments'), { sweepEveryMs: 0, lifecycle: false })
  const many = bench.scaled(1000)
  const buckets = versionings.flatMap((versioning) =>
    [...few, [many, 0] as const, [1, many] as const].map(([before, after]) => {
      const keys = bench.scaled(before === many || after === many ? 40 : 400)
      return { bucket: `${versioning}-${before}-${after}`, versioning, keys, before, after }
    }),
  )
  await Promise.all(buckets.map((filled) => fillBefore(store, filled)))
  const first = store.seq
  await store.buckets.create('other')
  await inFlight(256, 2 * (bench.rounds + bench.warmUp), (i) => store.objects.put('other', keyOf(i), body))
  const moments = { first, last: store.seq }
  await Promise.all(buckets.map(({ bucket, keys, after }) => write(store, { bucket, keys, versions: after })))
  const past = await store.at(moments.last)
  const rows = buckets.map(({ bucket, versioning, keys, before, after }) => {
    const name = `as of, ${versioning}, ${before} before, ${after} after`
    const live = get(store, bucket, keys)
    return {
      again: [`GET ${name}`, [get(past, bucket, keys), live]] as const,
      first: [`first GET ${name}`, [firstGet(store, bucket, keys, moments), live]] as const,
      list: [`LIST ${name}`, [list(past, bucket, keys), list(store, bucket, keys)]] as const,
    }
  })
  for (const kind of ['again', 'first', 'list'] as const) {
    await compare(
      rows.map((row) => row[kind]),
      bench,
      { names: ['then', 'now'], wanted: 1.5 },
    )
  }
  await store.close()
}

type Read = Pick<PastStore, 'objects'>

const get = ({ objects }: Read, bucket: string, keys: number): Measure =>
  processorTime(getsFor * Math.min(keys, 100), async (i) => (await objects.get(bucket, keyOf(i % keys))).bytes())

/** The same, each time at another moment. */
function firstGet(store: Store, bucket: string, keys: number, { first, last }: Moments): Measure {
  let moment = first
  return async () => {
    moment = moment === last ? first : moment + 1
    const past = await store.at(moment)
    return get(past, bucket, keys)()
  }
}

const list = ({ objects }: Read, bucket: string, keys: number): Measure =>
  processorTime(3, async () => {
    const { entries } = await objects.listPage(bucket, { limit: 1000 })
    if (entries.length !== keys) throw new Error(`${bucket} has ${entries.length} objects, not ${keys}.`)
  })

/** Positions that show the same states of the buckets: a measurement can look at a moment that was never looked at. */
interface Moments {
  readonly first: number
  readonly last: number
}

interface Filled {
  readonly bucket: string
  readonly versioning: Versioning
  readonly keys: number
  readonly before: number
}

async function fillBefore(store: Store, { bucket, versioning, keys, before }: Filled): Promise<void> {
  await store.buckets.create(bucket)
  if (versioning !== 'unversioned') await store.buckets.setVersioning(bucket, 'Enabled')
  await write(store, { bucket, keys, versions: Math.floor(before / 2) })
  if (versioning === 'suspended') await store.buckets.setVersioning(bucket, 'Suspended')
  await write(store, { bucket, keys, versions: Math.ceil(before / 2) })
}

async function write(
  store: Store,
  { bucket, keys, versions }: Pick<Filled, 'bucket' | 'keys'> & { readonly versions: number },
): Promise<void> {
  for (let i = 0; i < versions; i++) await inFlight(16, keys, (key) => store.objects.put(bucket, keyOf(key), body))
}
