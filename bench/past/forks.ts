/** Forks: one of a large bucket beside one of a small bucket, and reads and writes of a fork beside those of its base. */
import { join } from 'node:path'
import { openStore, type Store } from 'varve'
import type { Measure } from '../lib/compared-pairs.ts'
import { inFlight } from '../lib/measure.ts'
import type { PastBench } from './bench.ts'
import { compare, keyOf, processorTime } from './comparing.ts'

const body = new Uint8Array(100).fill(120)
/** The fork has changed one object of so many. */
const changedOf = 100

export async function compareForks(bench: PastBench): Promise<void> {
  const objects = bench.scaled(20_000)
  const store = await openStore(join(bench.directory, 'forks'), { sweepEveryMs: 0, lifecycle: false })
  const put = (bucket: string) => (i: number) => store.objects.put(bucket, keyOf(i % objects), body)
  for (const bucket of ['base', 'small']) await store.buckets.create(bucket)
  await inFlight(256, objects, put('base'))
  await put('small')(0)
  await store.buckets.fork('base', 'fork')
  await inFlight(64, objects / changedOf, (i) => put('fork')(i * changedOf))
  const creation = [forksOf(store, 'base'), forksOf(store, 'small')] as const
  await compare([[`create and drop a fork of ${objects}`, creation]], bench, { names: ['large', 'small'], wanted: 1.5 })
  const beside = (of: (bucket: string) => Measure) => [of('fork'), of('base')] as const
  const get = (bucket: string) =>
    processorTime(400, async (i) => (await store.objects.get(bucket, keyOf(i % objects))).bytes())
  const list = (bucket: string) => processorTime(4, () => store.objects.listPage(bucket, { limit: 1000 }))
  await compare(
    [
      ['GET through a fork', beside(get)],
      ['LIST through a fork', beside(list)],
      ['PUT into a fork', beside((bucket) => processorTime(128, put(bucket)))],
    ],
    bench,
    { names: ['fork', 'base'], wanted: 2 },
  )
  await store.close()
}

function forksOf(store: Store, base: string): Measure {
  let made = 0
  return processorTime(8, async () => {
    const name = `of-${base}-${made++}`
    await store.buckets.fork(base, name)
    await store.buckets.drop(name)
  })
}
