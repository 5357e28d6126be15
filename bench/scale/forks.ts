/**
 * Measures forks: how long one takes to create and to drop, and what reads of a fork and of forks of forks cost beside those
 * of their base. The base is overwritten meanwhile, so that it has a past. VARVE_OBJECTS sets the count.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from 'varve'
import { inFlight, quantileOf, timed } from '../lib/measure.ts'

const objects = Number(process.env['VARVE_OBJECTS'] ?? 1_000_000)
const depth = 4
const reads = 5000
const pages = 100
const body = Buffer.alloc(100, 'v')

const directory = await mkdtemp(join(tmpdir(), 'varve-forks-'))
const store = await openStore(directory)
try {
  await store.buckets.create('base')
  await timed(`put ${objects} objects`, objects, () =>
    inFlight(256, objects, (i) => store.objects.put('base', keyOf(i), body)),
  )
  const names = ['base']
  for (let i = 1; i <= depth; i++) {
    const name = `fork-${i}`
    await took(`create a fork of depth ${i}`, () => store.buckets.fork(names.at(-1) as string, name))
    names.push(name)
    await inFlight(64, 1000, (number) => store.objects.put(name, keyOf((number * 7 + i) % objects), body))
  }
  await inFlight(64, 1000, (number) => store.objects.put('base', keyOf(number * 3), body))
  for (const name of names) await measure(name)
  await took('drop the deepest fork', () => store.buckets.drop(`fork-${depth}`))
} finally {
  await store.close()
  await rm(directory, { recursive: true, force: true })
}

function keyOf(i: number): string {
  return `prefix/${String(i % objects).padStart(8, '0')}`
}

async function measure(name: string): Promise<void> {
  let after = ''
  await quantiles(`${name}: pages of 1000`, pages, async () => {
    const page = await store.objects.listPage(name, { after, limit: 1000 })
    after = page.nextAfter ?? ''
  })
  await quantiles(`${name}: heads`, reads, (i) => store.objects.head(name, keyOf(i * 7919)))
  await quantiles(`${name}: puts`, reads / 10, (i) => store.objects.put(name, keyOf(i * 6271), body))
}

async function took(what: string, work: () => Promise<unknown>): Promise<void> {
  const before = performance.now()
  await work()
  console.log(`${what}: ${(performance.now() - before).toFixed(2)} ms`)
}

async function quantiles(what: string, count: number, work: (i: number) => Promise<unknown>): Promise<void> {
  const times: number[] = []
  for (let i = 0; i < count; i++) {
    const before = performance.now()
    await work(i)
    times.push(performance.now() - before)
  }
  const [p50, p99] = [0.5, 0.99].map((share) => quantileOf(times, share)) as [number, number]
  console.log(`${what}: p50 ${p50.toFixed(3)} ms, p99 ${p99.toFixed(3)} ms`)
}
