/**
 * `npm run test:attacks -- --draws N --seed S`: the attacks that worked once, then N drawn by a seed, against a served store.
 * Says what another client waited at the most, and what memory it took.
 */
import { parseArgs } from 'node:util'
import { drawAttack } from './draw.ts'
import { knownAttacks } from './known.ts'
import { openRange, type Outcome } from './range.ts'
import { lineOf, report } from './report.ts'

const { values } = parseArgs({
  options: {
    draws: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    ms: { type: 'string', default: '100' },
    'known-ms': { type: 'string', default: '2000' },
    // Reports what was drawn by then.
    minutes: { type: 'string', default: 'Infinity' },
  },
})
const [draws, seed, ms, knownMs] = [values.draws, values.seed, values.ms, values['known-ms']].map(Number) as [
  number,
  number,
  number,
  number,
]

const began = performance.now()
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const range = await openRange()
const rests: Outcome[] = []
for (let at = 0; at < 50; at++) rests.push(await range.rest(ms))
for (const line of report('rests', rests).slice(0, 6)) say(line)

const known: Outcome[] = []
for (const attack of knownAttacks()) {
  const outcome = await range.attack(attack, knownMs)
  say(lineOf(outcome))
  known.push(outcome)
  await range.rest(500)
}
for (const line of report('known attacks', known)) say(line)

const drawn: Outcome[] = []
const end = began + Number(values.minutes) * 60_000
for (let at = 0; at < draws && performance.now() < end; at++) {
  drawn.push(await range.attack(drawAttack(seed + at), ms))
  await range.rest(10)
  if (at % 500 === 499) say(`${at + 1} drawn, ${((performance.now() - began) / 1000).toFixed(0)} s`)
}
for (const line of report(`drawn from seed ${seed}`, drawn)) say(line)
say(`${((performance.now() - began) / 1000).toFixed(0)} s`)
await range.close()
