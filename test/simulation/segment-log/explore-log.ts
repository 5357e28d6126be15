/** Looks at a life of a segment log between any two of its effects: whatever way it ends there, what comes up is audited. */
import { crashAgain } from '../crash-again.ts'
import { fingerprint } from '../fingerprint.ts'
import type { Image } from '../machine.ts'
import { type Random, randomFrom } from '../../support/random.ts'
import { atOnce, type Fault } from '../world.ts'
import { cutOff, cuts } from '../machine.ts'
import { LogMachine } from './log-machine.ts'
import { LogRun } from './log-run.ts'

export interface LogTally {
  states: number
  audits: number
  runs: number
  faultsStruck: number
}

export const newLogTally = (): LogTally => ({ states: 0, audits: 0, runs: 0, faultsStruck: 0 })

export interface LogAttempt {
  readonly seed: number
  readonly fault?: Fault
  /** Look between any two effects, or only when the run has ended. @default 'all' */
  readonly states?: 'all' | 'end'
}

/** Resolves with what is wrong, each line with what leads back to it. */
export async function exploreLog({ seed, fault, states = 'all' }: LogAttempt, tally: LogTally): Promise<string[]> {
  const problems: string[] = []
  const looked = new Set<string>()
  let before = ''
  let last: Image | undefined
  const look = async (run: LogRun, step: number) => {
    const answers = `${run.acknowledged} ${run.model.given}`
    tally.states += cuts.length
    // A moment at which nothing changed is not looked at twice.
    if (answers === before && last?.disk === run.image.disk && last.rows === run.image.rows) return
    before = answers
    last = run.image
    for (const cut of cuts) {
      if (problems.length > 0) return
      const image = cutOff(run.image, cut, randomFrom(seed * 7919 + step))
      const print = `${answers} ${fingerprint(image)}`
      if (looked.has(print)) continue
      looked.add(print)
      tally.audits++
      const found = await audit(run, image, looked.size)
      problems.push(...found.map((problem) => `seed=${seed} step=${step} cut=${cut} ${faultText(fault)}: ${problem}`))
    }
  }
  const run = await LogRun.of({ seed, fault, onRest: states === 'all' ? look : undefined })
  problems.push(...run.problems.map((problem) => `seed=${seed} ${faultText(fault)}: ${problem}`))
  await look(run, run.world.step)
  tally.runs++
  if (run.world.faulted) tally.faultsStruck++
  return problems
}

const faultText = (fault?: Fault): string =>
  fault === undefined ? '' : `fault=${fault.at}:${fault.errno}:${fault.forever ? 'ever' : 'once'}`

/** One in so many states is crashed again while it comes up; one in so many goes on. */
const againEvery = 5
const furtherEvery = 3

async function audit(run: LogRun, image: Image, number: number): Promise<string[]> {
  const random = randomFrom(number)
  if (number % againEvery === 0) return judge(run, await crashedAgain(run, image, random), random, true)
  return judge(run, image, random, number % furtherEvery === 0)
}

async function judge(run: LogRun, image: Image, random: Random, further: boolean): Promise<string[]> {
  const { model, acknowledged } = run
  const machine = new LogMachine(atOnce(random, 0), image)
  try {
    const journal = await machine.open(acknowledged === 0)
    const { count, problems } = await model.judge(journal, acknowledged)
    if (problems.length > 0) return problems
    // What somebody saw stays, whatever happens next.
    const seen = new LogMachine(atOnce(random, 0), cutOff(machine.image, 'none', random))
    const later = await seen.open(count === 0)
    problems.push(...(await model.judge(later, count)).problems.map((problem) => `after it was seen: ${problem}`))
    await later.close()
    if (further) problems.push(...(await goOn(journal, machine, count)))
    await journal.close()
    if (machine.files.handles > 0) problems.push('files are left open')
    return problems
  } catch (error) {
    return [`it does not come up: ${String(error)} ${error instanceof Error ? error.stack : ''}`]
  }
}

/** Commits once more, closes, and loses power. */
async function goOn(
  journal: Awaited<ReturnType<LogMachine['open']>>,
  machine: LogMachine,
  count: number,
): Promise<string[]> {
  const key = Uint8Array.of(0xf0)
  await journal.commit({ expectedHead: await journal.head(), events: [key], rows: [{ key, value: key }] })
  const head = await journal.head()
  await journal.settle()
  const random = randomFrom(count)
  const after = new LogMachine(atOnce(random, 0), cutOff(machine.image, 'none', random))
  const reopened = await after.open(false)
  const whole = (await reopened.head()) === head && (await reopened.get(key)) !== undefined
  await reopened.close()
  return whole ? [] : ['a commit that was made afterwards is lost']
}

const crashedAgain = (run: LogRun, image: Image, random: Random): Promise<Image> =>
  crashAgain(random, 40, (world) => {
    const machine = new LogMachine(world, image)
    return {
      comeUp: () => machine.open(run.acknowledged === 0),
      cut: (isUp) => cutOff(machine.image, isUp ? 'subset' : random.pick(cuts), random),
    }
  })
