/**
 * Measures whether the cost of opening a store depends on the length of its log: after a clean close and after a kill,
 * with a check of sizes, of files that changed and of every byte, each in its own process. VARVE_EVENTS lists the
 * lengths, such as 1000000,10000000; VARVE_ROUNDS sets the number of rounds. The store is made with real commands, in
 * large groups. Prints medians, and for two lengths or more the ratio of their costs.
 */
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, verifyStore } from 'varve'
import { medianOf } from '../lib/measure.ts'
import { putGroup } from '../lib/put-group.ts'

type Check = 'bytes' | 'changed' | 'sizes'
interface Opening {
  readonly ms: number
  readonly processorMs: number
  /** The peak of resident memory in MiB, including mapped tables. */
  readonly peakMiB: number
}

const lengths = (process.env['VARVE_EVENTS'] ?? '1000000').split(',').map(Number)
const rounds = Number(process.env['VARVE_ROUNDS'] ?? 3)
/** The number of events that are written between the opening and the kill. */
const lastEvents = Number(process.env['VARVE_LAST_EVENTS'] ?? 5000)
const goals = {
  'closed, sizes': 250,
  'killed, sizes': 1000,
  'closed, changed': 250,
  peakMiB: 150,
  growth: 1.5,
} as const
const kinds = ['closed, sizes', 'closed, changed', 'killed, sizes', 'closed, bytes', 'killed, bytes'] as const
const groupMax = 5000
const objects = {
  bucket: 'many',
  keyAt: (position: number): string => `key ${String(position).padStart(9, '0')}`,
}
/** Longer logs are not verified here. */
const verifiedMax = 1_000_000

const [, script = '', act, path = '', detail = ''] = process.argv
if (act === 'write') await write(path, Number(detail))
else if (act === 'die') await writeAndDie(path)
else if (act === 'open') await measure(path, detail as Check)
else await compare()

async function compare(): Promise<void> {
  const shortest = new Map<string, number>()
  for (const events of lengths) {
    for (const [kind, openings] of await openingsOf(events)) {
      const [ms, processorMs, peakMiB] = (['ms', 'processorMs', 'peakMiB'] as const).map((figure) =>
        medianOf(openings.map((opening) => opening[figure])),
      ) as [number, number, number]
      const growth = ms / (shortest.get(kind) ?? ms)
      if (!shortest.has(kind)) shortest.set(kind, ms)
      console.log(
        `${events} events, ${kind}: ${ms.toFixed(0)} ms${verdict(ms, goals[kind as keyof typeof goals])}, ` +
          `${processorMs.toFixed(0)} ms of processor, peak ${peakMiB.toFixed(0)} MiB${verdict(peakMiB, goals.peakMiB)}` +
          (events === lengths[0] ? '' : `, ${growth.toFixed(2)} times the first${verdict(growth, goals.growth)}`),
      )
    }
  }
}

function verdict(figure: number, goal: number | undefined): string {
  return goal === undefined ? '' : ` (goal ${goal}: ${figure <= goal ? 'met' : 'missed'})`
}

/** Opens the store in each way once a round, in turns. */
async function openingsOf(events: number): Promise<ReadonlyMap<string, readonly Opening[]>> {
  const directory = await mkdtemp(join(process.env['VARVE_BENCH_DIR'] ?? tmpdir(), 'varve-opening-'))
  const openings = new Map<(typeof kinds)[number], Opening[]>()
  try {
    const before = performance.now()
    child('write', directory, String(events))
    console.log(`${events} events written in ${((performance.now() - before) / 1000).toFixed(0)} s`)
    // What this opening reads, the next ones trust.
    child('open', directory, 'changed')
    for (let round = 0; round < rounds; round++) {
      for (const kind of kinds) {
        const [state, check] = kind.split(', ') as [string, Check]
        if (state === 'killed') child('die', directory)
        const opening = JSON.parse(child('open', directory, check)) as Opening
        openings.set(kind, [...(openings.get(kind) ?? []), opening])
      }
    }
    if (events <= verifiedMax) await verifyAll(directory)
    return openings
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Runs a task in its own process and returns its output. */
function child(task: string, directory: string, more = ''): string {
  const { status, signal, stdout } = spawnSync(process.execPath, [script, task, directory, more], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (task === 'die' ? signal !== 'SIGKILL' : status !== 0) throw new Error(`The process to ${task} failed.`)
  return stdout
}

async function write(directory: string, events: number): Promise<void> {
  const store = await openStore(directory, { groupMax, sweepOrphans: false })
  await store.buckets.create(objects.bucket)
  while (store.seq < events) await putGroup(store, Math.min(events - store.seq, groupMax), objects)
  if (store.seq !== events) throw new Error(`The log ends at ${store.seq}, not at ${events}.`)
  await store.close()
}

async function writeAndDie(directory: string): Promise<void> {
  const store = await openStore(directory, { groupMax, sweepOrphans: false, check: 'sizes' })
  for (let left = lastEvents; left > 0; left -= 500) await putGroup(store, Math.min(left, 500), objects)
  process.kill(process.pid, 'SIGKILL')
}

async function measure(directory: string, check: Check): Promise<void> {
  await loadModules()
  const [before, cpu] = [performance.now(), process.cpuUsage()]
  const store = await openStore(directory, { check, sweepOrphans: false })
  const ms = performance.now() - before
  const { user, system } = process.cpuUsage(cpu)
  const opening: Opening = { ms, processorMs: (user + system) / 1000, peakMiB: process.resourceUsage().maxRSS / 1024 }
  await store.objects.head('many', `key ${String(store.seq - 1).padStart(9, '0')}`)
  await store.close()
  console.log(JSON.stringify(opening))
}

/** The first opening of a process also loads the engine, which takes longer than opening a store. */
async function loadModules(): Promise<void> {
  const small = await mkdtemp(join(tmpdir(), 'varve-small-'))
  await (await openStore(small, { sweepOrphans: false })).close()
  await rm(small, { recursive: true, force: true })
}

async function verifyAll(directory: string): Promise<void> {
  const { ok, events, found } = await verifyStore(directory, { views: 'check', blobs: 'skip' })
  if (!ok) throw new Error(`Found ${found} divergences in ${events} events.`)
  console.log(`${events} events verified, log and rows`)
}
