/**
 * `npm run suite attacks -- --draws N --seed S`: the attacks that worked once, then N drawn by a seed, against a served store.
 * Reports how long another client waited, beside what it waits without an attack, and the memory that the attacks took.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { drawAttack } from './draw.ts'
import { knownAttacks } from './known.ts'
import { openRange, type Outcome } from './range.ts'
import { lineOf, report, summary } from './report.ts'

const { values } = parseArgs({
  options: {
    draws: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    ms: { type: 'string', default: '100' },
    'known-ms': { type: 'string', default: '2000' },
    // Reports what was drawn by then.
    minutes: { type: 'string', default: 'Infinity' },
    // These draws alone, each with its line: `4127,4126`.
    only: { type: 'string' },
    'skip-known': { type: 'boolean' },
  },
})
const [draws, seed, ms, knownMs] = [values.draws, values.seed, values.ms, values['known-ms']].map(Number) as [
  number,
  number,
  number,
  number,
]

/** Of each known attack on one connection, before anything is measured: code is loaded and compiled. */
const warmUpMs = 300
/** Attacks between two baselines. */
const restEvery = 10

const began = performance.now()
const print = (line: string): void => void process.stdout.write(`${line}\n`)
const range = await openRange()
print(`idle: ${(await range.settle()).toFixed(0)} MiB before the first round`)
for (const attack of knownAttacks()) if (attack.connections === 1) await range.attack(attack, warmUpMs)
print(`idle: ${(await range.settle()).toFixed(0)} MiB after it`)
const rests: Outcome[] = []
for (let at = 0; at < 20; at++) rests.push(await range.rest(ms))
for (const line of summary('rests', rests)) print(line)

const known: Outcome[] = []
if (values['skip-known'] !== true)
  for (const attack of knownAttacks()) {
    const outcome = await range.attack(attack, knownMs)
    print(lineOf(outcome))
    known.push(outcome)
    await range.rest(500)
  }
for (const line of report('known attacks', known)) print(line)

const drawn: Outcome[] = []
const seeds = values.only?.split(',').map(Number) ?? Array.from({ length: draws }, (_, at) => seed + at)
const end = began + Number(values.minutes) * 60_000
for (const [at, one] of seeds.entries()) {
  if (performance.now() > end) break
  const outcome = await range.attack(drawAttack(one), ms)
  if (values.only !== undefined) print(lineOf(outcome))
  drawn.push(outcome)
  await (at % restEvery === 0 ? range.rest(ms) : delay(10))
  if (at % 500 === 499) print(`${at + 1} drawn, ${((performance.now() - began) / 1000).toFixed(0)} s`)
}
for (const line of report(`drawn from seed ${seed}`, drawn)) print(line)
print(`at rest afterwards: ${(await range.settle()).toFixed(0)} MiB`)
print(`${((performance.now() - began) / 1000).toFixed(0)} s`)
await range.close()
