/**
 * Upgrades a large store of the old format and kills the upgrade ten times. Then verifies the store and reads some of it.
 * Prints how long it took, and the bytes of events and rows before and after. Ends with 1 after any failure.
 *
 *     npm run suite migration -- --objects 1000000 --kills 10 --layout level+files --seed 1 --dir DIR
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type LayoutName, openStore, verifyStore } from 'varve'
import { newSeed, randomFrom } from '../support/random.ts'
import { journalSizes, type Sizes } from './journal-sizes.ts'
import { type UpgradeRun, upgradeWithKills } from './killed-upgrade.ts'
import { bodyOf, bucket, keyOf, writeOldStore } from './old-store.ts'

const { values } = parseArgs({
  options: {
    objects: { type: 'string', default: '1000000' },
    kills: { type: 'string', default: '10' },
    layout: { type: 'string', default: 'level+files' },
    seed: { type: 'string', default: String(newSeed()) },
    dir: { type: 'string', default: tmpdir() },
  },
})
const objects = Number(values.objects)
const kills = Number(values.kills)
const layout = values.layout as LayoutName
const readings = 1000

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now()
  const result = await work()
  console.log(`${what}: ${seconds(performance.now() - began)}`)
  return result
}

async function main(): Promise<readonly string[]> {
  console.log(`${objects} objects, ${layout}, ${kills} kills, seed ${values.seed}`)
  const scratch = await mkdtemp(join(values.dir, 'varve-upgrade-'))
  const directory = join(scratch, 'store')
  try {
    await timed('writing the old store', () => writeOldStore(directory, { layout, objects }))
    const before = await journalSizes(directory)
    const runs = await upgradeWithKills(directory, kills, randomFrom(Number(values.seed)))
    runs.forEach(printRun)
    const after = await journalSizes(directory)
    printSizes(before, after)
    const last = runs.at(-1)
    if (last === undefined || last.killed || last.stderr !== '') return [`the upgrade failed: ${last?.stderr}`]
    return await timed('verifying and reading', () => faults(directory))
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

function printRun({ killed, stages, ms }: UpgradeRun, i: number): void {
  const starts = [...stages].map(([stage, { done, atMs }]) => `${stage} from ${done} after ${seconds(atMs)}`)
  console.log(`run ${i + 1}: ${starts.join(', ')}; ${killed ? 'killed' : 'done'} after ${seconds(ms)}`)
}

function printSizes(before: Sizes, after: Sizes): void {
  const each = ({ count, bytes }: { count: number; bytes: number }) => (count === 0 ? '–' : (bytes / count).toFixed(1))
  console.log('what                  count  bytes each before    after')
  for (const [what, size] of after) {
    const old = before.get(what) ?? { count: 0, bytes: 0 }
    console.log(
      `${what.padEnd(16)} ${String(size.count).padStart(10)} ${each(old).padStart(18)} ${each(size).padStart(8)}`,
    )
  }
}

async function faults(directory: string): Promise<readonly string[]> {
  const { divergences, events } = await verifyStore(directory, { views: 'compare' })
  const wrong = divergences.map(({ message }) => message)
  if (events !== objects + 2) wrong.push(`The log has ${events} events.`)
  const store = await openStore(directory, { create: false, sweepEveryMs: 0, lifecycle: false })
  for (let i = 0; i < objects; i += Math.max(1, Math.floor(objects / readings))) {
    const text = await (await store.objects.get(bucket, keyOf(i))).text()
    if (text !== bodyOf(i)) wrong.push(`${keyOf(i)} has other bytes.`)
  }
  await store.close()
  return wrong
}

const wrong = await main()
for (const line of wrong.slice(0, 20)) console.log(line)
console.log(wrong.length === 0 ? 'nothing is lost' : `${wrong.length} faults`)
process.exitCode = wrong.length === 0 ? 0 : 1
