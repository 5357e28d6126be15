/** `npm run suite soak -- --minutes 30`: see `soak.ts`. Ends with status 1 when anything was not as it must be. */
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { unmeasurable } from '../bounds/support/process-figures.ts'
import { judge, table } from './judge.ts'
import { summaryOf } from './flatness.ts'
import { type Outcome, soak } from './soak.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    clients: { type: 'string', default: '6' },
    cores: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    directory: { type: 'string', default: join(tmpdir(), `varve-soak-${process.pid}`) },
  },
})

if (unmeasurable !== undefined) {
  console.log(`Skipped: ${unmeasurable}`)
  process.exit(process.env['VARVE_FAULTS'] === 'required' ? 1 : 0)
}

const began = Date.now()
const line = (text: string) => console.log(`${((Date.now() - began) / 1000).toFixed(0).padStart(6)} s  ${text}`)
const { directory } = values
const [minutes, clients, cores, seed] = [values.minutes, values.clients, values.cores, values.seed].map(Number) as [
  number,
  number,
  number,
  number,
]
line(`${minutes} minutes, ${clients} clients, ${cores} cores, seed ${seed}, in ${directory}`)
const outcome = await soak({ seconds: minutes * 60, clients, cores, seed, directory, onLine: line })
const rows = judge(outcome)
console.log(`\n${story(outcome)}\n\n${table(rows)}\n`)
const right = rows.every(({ ok }) => ok)
// What went wrong is to be looked at; the samples stay in any case.
if (right) await rm(join(directory, 'store'), { recursive: true, force: true })
process.exitCode = right ? 0 : 1

function story({ tally, faults, hits, lives, left, samples, seconds, recoveries }: Outcome): string {
  const lag = summaryOf(samples.of('lagP99'), 0)
  const log = samples.of('logMiB').at(-1)?.value ?? 0
  const gib = (tally.bytesVerified / 2 ** 30).toFixed(2)
  const made = Object.entries(hits).map(([call, count]) => `${call} ${count}`)
  return [
    `${tally.acknowledged} writes acknowledged (${(tally.acknowledged / seconds).toFixed(0)}/s), ${tally.verified} answers and ${gib} GiB compared, ${tally.listings} listings, ${tally.left} clients left half way, ${tally.unclear} unclear answers.`,
    `${left.events} events; the log takes ${log.toFixed(0)} MiB, ${((log * 2 ** 20) / left.events).toFixed(0)} bytes an event. ${left.orphans} orphans swept at the end, ${left.blobs} blobs left.`,
    `Event loop lag of the server, p99 a sample: median ${lag.median.toFixed(0)} ms, most ${lag.most.toFixed(0)} ms.`,
    `From the end of a fault to the next acknowledged write: median ${middle(recoveries)} ms, most ${Math.max(0, ...recoveries)} ms.`,
    `${lives} processes. Failures made: ${made.join(', ') || 'none'}.`,
    ...[...faults].map(([name, count]) => `  ${String(count).padStart(4)} x ${name}`),
  ].join('\n')
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
