/**
 * Measures how long a store with a long log takes to open and to verify: a million events, opened after a clean close,
 * after a kill under load, and without its seal, then verified whole. VARVE_EVENTS sets the count; each figure is
 * printed beside its goal.
 */
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store, verifyStore, type VerifyStoreOptions } from 'varve'
import { inFlight } from '../lib/measure.ts'

let events = Number(process.env['VARVE_EVENTS'] ?? 1_000_000)
const goals = { open: 2, verify: 20 }
const looking = { sweepOrphans: false } as const
/** The number of events that are written between the opening and the kill. */
const lastEvents = 3000

const [, script = '', toKill] = process.argv
if (toKill !== undefined) await writeAndDie(toKill)

const directory = await mkdtemp(join(process.env['VARVE_BENCH_DIR'] ?? tmpdir(), 'varve-recovery-'))
try {
  const store = await openStore(directory)
  await store.buckets.create('many')
  await report(`${events} events written`, undefined, () => fill(store, 1, events - 1))
  await report('closed', undefined, () => store.close())
  for (const round of [1, 2, 3]) await report(`opened, every byte checked (${round})`, goals.open, () => openAndClose())
  await report('opened, sizes checked', goals.open, () => openAndClose('sizes'))
  const { signal } = spawnSync(process.execPath, [script, directory], { stdio: 'inherit' })
  if (signal !== 'SIGKILL') throw new Error('The store was not killed.')
  events += lastEvents
  await report('opened after a kill', goals.open, () => openAndClose())
  await rm(join(directory, 'seal'))
  await report('opened without its seal', goals.open, () => openAndClose())
  await report('verified, the log alone', goals.verify, () => verifyWhole({ views: 'skip', blobs: 'skip' }))
  await report('verified, log and rows', goals.verify, () => verifyWhole({ views: 'check', blobs: 'skip' }))
  await report('verified, log and views made again', goals.verify, () => verifyWhole({ blobs: 'skip' }))
  await report('verified, every byte read', undefined, () => verifyWhole({}))
} finally {
  await rm(directory, { recursive: true, force: true })
}

async function fill(store: Store, from: number, count: number): Promise<void> {
  const body = Buffer.alloc(100, 'v')
  await inFlight(256, count, (i) => store.objects.put('many', `key ${from + i}`, body))
}

/** Runs in its own process. */
async function writeAndDie(path: string): Promise<void> {
  const store = await openStore(path, looking)
  await fill(store, store.seq, lastEvents)
  process.kill(process.pid, 'SIGKILL')
}

async function openAndClose(check: 'bytes' | 'sizes' = 'bytes'): Promise<number> {
  const before = performance.now()
  const store = await openStore(directory, { ...looking, check })
  const opened = performance.now() - before
  if (store.seq !== events) throw new Error(`The log ends at ${store.seq}, not at ${events}.`)
  await store.close()
  return opened
}

async function verifyWhole(options: VerifyStoreOptions): Promise<void> {
  const found = await verifyStore(directory, options)
  if (!found.ok || found.events !== events)
    throw new Error(`Found ${found.found} divergences in ${found.events} events.`)
}

/**
 * Prints the time that `work` returned, or else the measured time. The processor time beside it does not depend on how
 * busy the machine is.
 */
async function report(
  what: string,
  goalSeconds: number | undefined,
  work: () => Promise<number | void>,
): Promise<void> {
  const [before, cpu] = [performance.now(), process.cpuUsage()]
  const seconds = ((await work()) ?? performance.now() - before) / 1000
  const { user, system } = process.cpuUsage(cpu)
  const goal = goalSeconds === undefined ? '' : `, goal ${goalSeconds} s: ${seconds <= goalSeconds ? 'met' : 'missed'}`
  console.log(`${what}: ${seconds.toFixed(2)} s${goal} (${((user + system) / 1e6).toFixed(2)} s of processor)`)
}
