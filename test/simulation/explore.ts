/**
 * Tries what can go wrong. One run is looked at between any two of its effects, and each time the power is cut in every
 * way there is; what comes up is audited. A state is one such machine that was brought up and audited; a moment at
 * which nothing changed since the last one is not looked at twice.
 */
import { audit } from './audit.ts'
import { crashAgain } from './crash-again.ts'
import { fingerprint } from './fingerprint.ts'
import { crash, type Cut, cutOff, cuts, type Image, Machine } from './machine.ts'
import { type Keep, keeps } from './disk-image.ts'
import { randomFrom } from '../support/random.ts'
import { type Operation, Run } from './run.ts'
import { randomScenario, type Scenario, scenarios } from './scenario.ts'
import type { Errno, Fault } from './world.ts'

export interface Attempt {
  readonly scenario: Scenario
  readonly seed: number
  readonly fault?: Fault
  /** Look between any two effects, or only when the run has ended. @default 'all' */
  readonly states?: 'all' | 'end'
  /** Look only at this moment, to see one failure again. */
  readonly only?: { readonly step: number; readonly keep: Cut }
}

export interface Tally {
  /** Moments between two effects, times the ways to cut the power there. */
  states: number
  /** Machines brought up and audited: what comes up like another of the same run needs no second look. */
  audits: number
  runs: number
  /** Simulated milliseconds. */
  time: number
  /** How often each required situation was seen. Without them the search proves nothing. */
  readonly seen: Map<string, number>
}

export const newTally = (): Tally => ({ states: 0, audits: 0, runs: 0, time: 0, seen: new Map() })

export interface Failure {
  /** The line that runs it again. */
  readonly replay: string
  readonly problems: readonly string[]
}

/** One in so many states also goes on after the audit; one in so many is crashed again while it comes up. */
const furtherEvery = 8
const againEvery = 16

/** Runs once and looks at every moment; ends at the first failure. */
export async function explore(attempt: Attempt, tally: Tally): Promise<Failure | undefined> {
  const { scenario, seed, fault, only } = attempt
  let failure: Failure | undefined
  const looked = new Set<string>()
  let before: State | undefined

  const look = async (run: Run, step: number, keep: Cut) => {
    tally.states++
    if (failure !== undefined || (only !== undefined && (only.step !== step || only.keep !== keep))) return
    const image = cutOff(run.image, keep, randomFrom(seed * 7919 + step))
    const print = `${stateOf(run).answers} ${fingerprint(image)}`
    if (looked.has(print)) return
    looked.add(print)
    const problems = await auditAll(image, { run, step, number: looked.size }, tally)
    if (problems.length > 0) failure = { replay: replayLine(attempt, step, keep), problems }
  }

  const onRest = async (run: Run, step: number) => {
    if (step % (scenario.every ?? 1) !== 0) return
    const now = stateOf(run)
    // Nothing, everything and all names survive as they did a moment ago; another subset is not drawn.
    if (only === undefined && before !== undefined && isSame(now, before)) tally.states += keeps.length - 1
    else for (const keep of keeps) await look(run, step, keep)
    before = now
  }

  const run = await Run.of({ scenario, seed, fault, onRest: attempt.states === 'end' ? undefined : onRest })
  for (const keep of cuts) await look(run, run.world.step, keep)
  tally.runs++
  tally.time += run.world.now - run.began
  countOperations(run.operations, tally)
  if (fault !== undefined) note(tally, run.world.faulted ? 'fault struck' : 'fault never struck')
  if (failure === undefined && run.surprises.length > 0) {
    return { replay: replayLine(attempt, run.world.step, 'kill'), problems: run.surprises.map(String) }
  }
  return failure
}

/** All that distinguishes one moment of a run from another. */
interface State {
  readonly image: Image
  readonly answers: number
}

const stateOf = ({ image, operations }: Run): State => ({
  image,
  answers: operations.filter(({ answer }) => answer !== undefined).length,
})

const isSame = (a: State, b: State): boolean =>
  a.answers === b.answers && a.image.disk === b.image.disk && a.image.rows === b.image.rows

interface Look {
  readonly run: Run
  readonly step: number
  /** Counts the machines that were looked at in this run. */
  readonly number: number
}

async function auditAll(image: Image, { run, step, number }: Look, tally: Tally): Promise<readonly string[]> {
  const { operations, faulted } = run
  tally.audits++
  const problems = await audit(image, { operations, faulted, further: number % furtherEvery === 0 })
  if (problems.length > 0 || number % againEvery !== 1) return problems
  tally.states++
  tally.audits++
  const again = await crashAgain(randomFrom(step), 400, (world) => {
    const machine = new Machine(world, image)
    return { comeUp: () => machine.boot(), cut: () => crash(machine.image, 'subset', world.random) }
  })
  return (await audit(again, { operations, faulted, further: true })).map((problem) => `crashed again: ${problem}`)
}

export function countOperations(operations: readonly Operation[], tally: Tally): void {
  for (const { step, answer } of operations) {
    const outcome = answer === undefined ? 'unanswered' : 'error' in answer ? answer.error : 'ok'
    note(tally, `${step.type} ${outcome}`)
  }
}

const note = ({ seen }: Tally, what: string) => seen.set(what, (seen.get(what) ?? 0) + 1)

/** One line that `parseReplay` takes. */
export function replayLine({ scenario, seed, fault }: Attempt, step: number, keep: Cut): string {
  const faulty = fault === undefined ? '' : ` fault=${fault.at}:${fault.errno}:${fault.forever ? 'ever' : 'once'}`
  return `scenario=${scenario.name} seed=${seed} step=${step} keep=${keep}${faulty}`
}

/** @throws TypeError for a line that is none. */
export function parseReplay(line: string): Attempt {
  const fields = new Map(line.split(' ').map((field) => field.split('=', 2) as [string, string]))
  const name = fields.get('scenario') ?? ''
  const scenario = name.startsWith('random:')
    ? randomScenario(Number(name.slice(7)))
    : scenarios.find((each) => each.name === name)
  if (scenario === undefined) throw new TypeError(`There is no scenario ${name}.`)
  const [at, errno, times] = fields.get('fault')?.split(':') ?? []
  const fault = at === undefined ? {} : { fault: { at: Number(at), errno: errno as Errno, forever: times === 'ever' } }
  const only = { step: Number(fields.get('step')), keep: fields.get('keep') as Keep }
  return { scenario, seed: Number(fields.get('seed')), only, ...fault }
}
