/** PUT and GET with a retention whose budget is full, so that each PUT makes the oldest kept bytes go, beside retention 0. */
import { join } from 'node:path'
import { openStore, type Store } from 'varve'
import { bytesWritten } from '../src/meter/proc.ts'
import type { Measure } from '../lib/compared-pairs.ts'
import { inFlight } from '../lib/measure.ts'
import { compare, keyOf, processorTime, type Row } from './comparing.ts'
import type { PastBench } from './bench.ts'

const getsFor = 4
const day = 86_400_000
/** How many keys the operations share. */
const keysOf = (count: number): number => Math.min(64, count)
/** The budget in objects. A sixteenth of it is erased at once, so each measurement pays for some of these times. */
const budgetOf = (count: number): number => 2 * count

interface Sized {
  readonly name: string
  readonly size: number
  /** How many PUTs one measurement has. */
  readonly count: number
}

export async function compareRetention(bench: PastBench): Promise<void> {
  const sizes: readonly Sized[] = [
    { name: '4 KiB', size: 4096, count: bench.scaled(512) },
    { name: '64 KiB', size: 65_536, count: bench.scaled(128) },
  ]
  for (const sized of sizes) {
    const { name, size, count } = sized
    const keys = keysOf(count)
    const sides = { kept: await opened(bench, 'kept', sized), none: await opened(bench, 'none', sized) }
    const body = new Uint8Array(size).fill(120)
    const put = (store: Store): Measure =>
      // What is due is erased in the background. Waiting for it puts its cost beside the PUT that caused it.
      processorTime(
        count,
        (i) => store.objects.put('box', keyOf(i % keys), body),
        () => store.sweep(),
      )
    const get = (store: Store): Measure =>
      processorTime(getsFor * count, async (i) => (await store.objects.get('box', keyOf(i % keys))).bytes())
    // Fills the budget.
    while ((await sides.kept.usage()).kept < ((budgetOf(count) * 7) / 8) * size) await put(sides.kept)()
    const rows: readonly Row[] = [
      [`PUT ${name}`, [put(sides.kept), put(sides.none)]],
      [`GET ${name}`, [get(sides.kept), get(sides.none)]],
    ]
    await compare(rows, bench, { names: ['kept', 'retention 0'], wanted: 1.03 })
    const written = { kept: 0, none: 0 }
    for (const side of ['kept', 'none', 'none', 'kept'] as const) {
      written[side] += (await writtenPerByte(sides[side], { name, size, count: 16 * count })) / 2
    }
    const [kept, none] = [written.kept.toFixed(2), written.none.toFixed(2)]
    console.log(`Written per byte put, ${name}`.padEnd(46), `kept ${kept}  retention 0 ${none}`)
    for (const store of Object.values(sides)) await store.close()
  }
}

async function opened({ directory }: PastBench, side: 'kept' | 'none', { size, count }: Sized): Promise<Store> {
  const retention =
    side === 'none' ? { retentionMs: 0 } : { retentionMs: 30 * day, retentionBudget: { bytes: budgetOf(count) * size } }
  const store = await openStore(join(directory, `${side}-${size}`), { sweepEveryMs: 0, lifecycle: false, ...retention })
  await store.buckets.create('box')
  return store
}

/** Bytes that the system wrote to the medium, for each byte put. 0 where it does not report that. */
async function writtenPerByte(store: Store, { size, count }: Sized): Promise<number> {
  const body = new Uint8Array(size).fill(120)
  const before = bytesWritten('self') ?? 0
  await inFlight(16, count, (i) => store.objects.put('box', keyOf(i % keysOf(count)), body))
  await store.sweep()
  return ((bytesWritten('self') ?? 0) - before) / (size * count)
}
