/**
 * Measures listing after many deletes: 100,000 keys under a prefix are deleted, a few keys after them stay, and pages
 * are listed at once, while LevelDB still has the tombstones. VARVE_OBJECTS sets the count.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store } from 'varve'
import { inFlight, quantileOf, timed } from '../lib/measure.ts'

const objects = Number(process.env['VARVE_OBJECTS'] ?? 100_000)
const left = 2000
const pages = 200

const directory = await mkdtemp(join(tmpdir(), 'varve-deleted-'))
const store = await openStore(directory)
try {
  await store.buckets.create('gone')
  const body = Buffer.alloc(100, 'v')
  await timed(`put ${objects + left} objects`, objects + left, () =>
    inFlight(256, objects + left, (i) => store.objects.put('gone', keyOf(i), body)),
  )
  await listPages('before')
  await timed(`delete ${objects}`, objects, () => inFlight(256, objects, (i) => store.objects.delete('gone', keyOf(i))))
  await listPages('at once after')
  await new Promise((resolve) => setTimeout(resolve, 5000))
  await listPages('5 s after')
} finally {
  await store.close()
  await rm(directory, { recursive: true, force: true })
}

function keyOf(i: number): string {
  return `prefix/${String(i).padStart(8, '0')}`
}

/** Lists the first page repeatedly, past all deleted keys. */
async function listPages(when: string): Promise<void> {
  const times: number[] = []
  for (let i = 0; i < pages; i++) {
    const before = performance.now()
    const page = await firstPage(store)
    times.push(performance.now() - before)
    if (page !== 1000) throw new Error(`Listed ${page} of 1000.`)
  }
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => quantileOf(times, share)) as [number, number, number]
  console.log(
    `pages of 1000 ${when}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms (${(p99 / p50).toFixed(1)}), most ${most.toFixed(2)} ms, first ${(times[0] as number).toFixed(2)} ms`,
  )
}

async function firstPage(from: Store): Promise<number> {
  return (await from.objects.listPage('gone', { prefix: 'prefix/', limit: 1000 })).entries.length
}
