/**
 * The long form: `npm run suite simulation -- [--states N] [--seconds N] [--seed N] [--processes N] [--faults [--skip N]]`;
 * `-- --hours N` for so many simulated hours of steady work with power cuts; or one failure again:
 * `npm run suite simulation -- --replay "scenario=put seed=17 step=19 keep=subset"`.
 */
import { fork } from 'node:child_process'
import { parseArgs } from 'node:util'
import { explore, type Failure, newTally, parseReplay, type Tally } from './explore.ts'
import { live } from './life.ts'
import { attempts, faultAttempts } from './attempts.ts'

const { values } = parseArgs({
  options: {
    states: { type: 'string', default: '5000000' },
    seconds: { type: 'string', default: '86400' },
    seed: { type: 'string', default: '1' },
    processes: { type: 'string', default: '2' },
    faults: { type: 'boolean', default: false },
    /** Attempts to pass over: to go on where an earlier run ended. */
    skip: { type: 'string', default: '0' },
    hours: { type: 'string' },
    replay: { type: 'string' },
    /** Of how many processes this is one. */
    part: { type: 'string' },
  },
})

interface PartReport {
  readonly tally: Omit<Tally, 'seen'> & { readonly seen: readonly (readonly [string, number])[] }
  readonly failures: readonly Failure[]
}

const failuresMax = 20
/** Milliseconds between two lines of progress. A run that is ended early can continue from there (`--skip`). */
const reportEvery = 60_000

async function runPart(part: number, parts: number): Promise<PartReport> {
  const tally = newTally()
  const failures: Failure[] = []
  const statesMax = Number(values.states) / parts
  const end = performance.now() + Number(values.seconds) * 1000
  if (values.hours !== undefined) {
    const hours = Number(values.hours) / parts
    const failure = await live(Number(values.seed) + part * 1_000_000, tally, () => tally.time > hours * 3_600_000)
    return { tally: { ...tally, seen: [...tally.seen] }, failures: failure === undefined ? [] : [failure] }
  }
  const source = values.faults ? faultAttempts(Number(values.seed)) : attempts(Number(values.seed))
  let number = 0
  let reported = performance.now()
  for await (const attempt of source) {
    if (number++ % parts !== part || number <= Number(values.skip)) continue
    if (tally.states >= statesMax || performance.now() > end || failures.length >= failuresMax) break
    if (performance.now() > reported + reportEvery) {
      reported = performance.now()
      console.error(`part ${part}: ${number - 1} attempts behind it, ${attempt.scenario.name} next`)
    }
    const failure = await explore(attempt, tally)
    if (failure !== undefined) {
      failures.push(failure)
      console.error(`${failure.replay}\n  ${failure.problems.slice(0, 3).join('\n  ')}`)
    }
  }
  return { tally: { ...tally, seen: [...tally.seen] }, failures }
}

async function runAll(parts: number): Promise<void> {
  const started = performance.now()
  const reports = await Promise.all(Array.from({ length: parts }, (_, part) => inChild(part, parts)))
  const sum = (pick: (tally: PartReport['tally']) => number) =>
    reports.reduce((total, { tally }) => total + pick(tally), 0)
  const seen = new Map<string, number>()
  for (const { tally } of reports) for (const [what, times] of tally.seen) seen.set(what, (seen.get(what) ?? 0) + times)
  const failures = reports.reduce((total, report) => total + report.failures.length, 0)
  console.log(
    [
      `${sum(({ states }) => states)} states, ${sum(({ audits }) => audits)} of them looked at one by one`,
      `${sum(({ runs }) => runs)} runs, ${(sum(({ time }) => time) / 3_600_000).toFixed(1)} simulated hours`,
      `${((performance.now() - started) / 1000).toFixed(0)} s in ${parts} processes`,
      `${failures} failures`,
    ].join('; '),
  )
  for (const [what, times] of [...seen].sort(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`  ${String(times).padStart(9)}  ${what}`)
  process.exitCode = failures === 0 ? 0 : 1
}

function inChild(part: number, parts: number): Promise<PartReport> {
  return new Promise((resolve, reject) => {
    const child = fork(process.argv[1] as string, [...process.argv.slice(2), '--part', `${part}/${parts}`])
    child.on('message', (report) => resolve(report as PartReport))
    child.on('exit', (code) => reject(new Error(`Part ${part} ended with ${code} and no report.`)))
  })
}

if (values.replay !== undefined) {
  const failure = await explore(parseReplay(values.replay), newTally())
  console.log(failure === undefined ? 'It holds.' : failure.problems.join('\n'))
  process.exitCode = failure === undefined ? 0 : 1
} else if (values.part === undefined) {
  await runAll(Number(values.processes))
} else {
  const [part, parts] = values.part.split('/').map(Number) as [number, number]
  const report = await runPart(part, parts)
  process.send?.(report)
  process.disconnect()
}
