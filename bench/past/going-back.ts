/** An undo and a restore of many deletions, a comparison in pages, and a subscription: time and processor time of each. */
import { join } from 'node:path'
import { openStore, type Store } from 'varve'
import { inFlight } from '../lib/measure.ts'
import type { PastBench } from './bench.ts'
import { keyOf, processorTime } from './comparing.ts'

const body = new Uint8Array(100).fill(120)
const pageSize = 1000

export async function measureGoingBack({ directory, scaled }: PastBench): Promise<void> {
  const objects = scaled(10_000)
  const store = await openStore(join(directory, 'going-back'), { sweepEveryMs: 0, lifecycle: false })
  const before = await deleteAll(store, 'undone', objects)
  await each('compare in pages with before', objects, () => comparePages(store, before, objects))
  await each('undo of the deletions', objects, async () => {
    expectAll((await store.undo({ from: before, inParts: true })).entries, objects)
  })
  const to = await deleteAll(store, 'restored', objects)
  await each('restore to before them', objects, async () => {
    expectAll((await store.restore({ bucket: 'restored', to, inParts: true })).entries, objects)
  })
  const events = store.seq
  await each('events to a subscription', events, () => followed(store, events))
  await each('events read', events, async () => {
    for await (const _event of store.log());
  })
  await store.close()
}

/** The position before the deletions. */
async function deleteAll(store: Store, bucket: string, objects: number): Promise<number> {
  await store.buckets.create(bucket)
  await each('put', objects, () => inFlight(16, objects, (i) => store.objects.put(bucket, keyOf(i), body)))
  const before = store.seq
  await each('delete', objects, () => inFlight(16, objects, (i) => store.objects.delete(bucket, keyOf(i))))
  return before
}

async function each(what: string, count: number, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now()
  const micros = (await processorTime(1, work)()) * 1000
  const seconds = (performance.now() - began) / 1000
  const figures = [
    `${seconds.toFixed(2)} s`,
    `${Math.round(count / seconds)}/s`,
    `${Math.round(micros / count)} us each`,
  ]
  console.log(`${what}, ${count}`.padEnd(46), ...figures.map((figure) => figure.padStart(14)))
}

async function comparePages(store: Store, from: number, objects: number): Promise<void> {
  let entries = 0
  for await (const page of store.diff({ bucket: 'undone' }, from, store.seq, { limit: pageSize }).pages())
    entries += page.entries.length
  expectAll({ length: entries }, objects)
}

async function followed(store: Store, events: number): Promise<void> {
  for await (const batch of store.subscribe('bench')) {
    await batch.acknowledge()
    if (batch.to >= events) return
  }
}

function expectAll({ length }: { readonly length: number }, objects: number): void {
  if (length !== objects) throw new Error(`${length} of ${objects}.`)
}
