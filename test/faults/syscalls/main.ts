/**
 * SIGKILL at the k-th call: the writer is killed as one of its threads is about to fsync, rename, write and so on, and
 * the store it leaves is opened and compared with what was acknowledged.
 *
 *     node test/dist/faults/syscalls/main.js --kills 40 [--call fsync] [--seed 1] [--layout level+tiered]
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { layoutWords, makingNamed } from '../../layouts/layout-parts.ts'
import { Expectations, inspect } from '../load/audit.ts'
import { runSuite } from '../machine/program.ts'
import { newSeed, randomFrom } from '../../support/random.ts'
import { type Call, calls, countCalls, killAt } from './boundaries.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '8' },
    call: { type: 'string', multiple: true },
    seed: { type: 'string' },
    layout: { type: 'string' },
    /** Kills one store goes through before the next, new one. */
    'per-store': { type: 'string', default: '16' },
  },
})
const kills = Number(values.kills)
const perStore = Number(values['per-store'])
const chosen = (values.call ?? calls).map((name): Call => {
  const call = calls.find((known) => known === name)
  if (call === undefined) throw new TypeError(`There is no ${name}: calls are ${calls.join(', ')}.`)
  return call
})
const layout = makingNamed(values.layout)
const seed = Number(values.seed ?? newSeed())
/** The share of the kills that must have come before the load ended by itself. Below it the run proves nothing. */
const killedShareMin = 0.4
const numbersPerRun = 1_000_000
/** LevelDB compacts in a thread of its own. */
const allThreadsEvery = 8
/** SQLite works in the calling thread, LMDB in one of its own. */
const inOtherThreads = layout !== undefined && /^(lmdb|sqlite)/.test(layout)

interface Tally {
  runs: number
  killed: number
}

const tallies = new Map(chosen.map((call): [Call, Tally] => [call, { runs: 0, killed: 0 }]))
let acknowledged = 0
const wrong: string[] = []

/** How often each call is made, in making a store and in going on with one. */
type Counts = Readonly<Record<'making' | 'goingOn', ReadonlyMap<Call, number>>>

async function count(scratch: string): Promise<Counts> {
  const place = { directory: join(scratch, 'counted'), layout }
  const expectations = new Expectations()
  const watched = inOtherThreads ? 'all' : 'files'
  const trace = join(scratch, 'trace')
  const making = await countCalls({ ...place, expectations, first: 0 }, watched, trace)
  const goingOn = await countCalls({ ...place, expectations, first: numbersPerRun }, watched, trace)
  wrong.push(...(await inspect(place, expectations)))
  await rm(place.directory, { recursive: true })
  return { making, goingOn }
}

/** One store, killed again and again, every time at another call in turn. */
async function live(counts: Counts, lifeSeed: number, times: number, directory: string): Promise<void> {
  const { next: random } = randomFrom(lifeSeed)
  const expectations = new Expectations()
  for (let i = 0; i < times && wrong.length === 0; i++) {
    const call = chosen[(i + lifeSeed) % chosen.length] as Call
    const most = counts[i === 0 ? 'making' : 'goingOn'].get(call) ?? 0
    const k = 1 + Math.floor(random() * Math.max(1, most))
    const tally = tallies.get(call) as Tally
    tally.runs++
    const watched = inOtherThreads || i % allThreadsEvery === 0 ? 'all' : 'files'
    if (await killAt({ call, k, watched }, { directory, layout, expectations, first: i * numbersPerRun }))
      tally.killed++
    const found = await inspect({ directory, layout }, expectations)
    const again = `node test/dist/faults/syscalls/main.js --seed ${lifeSeed} --kills ${times}${layoutWords(layout)}`
    const words = values.call === undefined ? '' : chosen.map((name) => ` --call ${name}`).join('')
    wrong.push(
      ...found.map((line) => `syscalls seed=${lifeSeed} kill=${i} ${call} when=${k}: ${line}\n  ${again}${words}`),
    )
  }
  acknowledged += expectations.acknowledged
  await rm(directory, { recursive: true, force: true })
}

function sum(): Tally {
  const total: Tally = { runs: 0, killed: 0 }
  for (const { runs, killed } of tallies.values()) {
    total.runs += runs
    total.killed += killed
  }
  return total
}

async function run(scratch: string): Promise<readonly string[]> {
  const counts = await count(scratch)
  for (let done = 0, store = 0; done < kills && wrong.length === 0; done += perStore, store++) {
    await live(counts, seed + store, Math.min(perStore, kills - done), join(scratch, 'store'))
    if (kills > 5 * perStore) console.log(`syscalls, so far: ${sum().runs} runs, ${sum().killed} killed mid-way`)
  }
  const { runs, killed } = sum()
  for (const [call, tally] of tallies) {
    console.log(`SIGKILL at ${call}: ${tally.runs} runs, ${tally.killed} killed mid-way`)
  }
  console.log(`syscalls: ${runs} runs, ${killed} killed mid-way, ${acknowledged} acknowledged, ${wrong.length} wrong`)
  if (killed < Math.floor(runs * killedShareMin))
    wrong.push('syscalls: too few of the kills came before the load ended')
  return wrong
}

await runSuite({ name: 'syscalls', needs: ['linux', 'strace', 'attach'], run })
