/** Tries what can go wrong with blobs in segments: as `explore.ts` does with the whole store. */
import { crashAgain } from './crash-again.ts'
import { crashDisk, type DiskImage, keeps } from './disk-image.ts'
import { fingerprint } from './fingerprint.ts'
import type { Cut } from './machine.ts'
import { randomFrom } from '../support/random.ts'
import { noRows } from './row-image.ts'
import { auditSegments } from './segment-audit.ts'
import { type Facts, openBlobs, SegmentRun, type SegmentRunOptions } from './segment-run.ts'
import { SimFiles } from './sim-files.ts'
import type { Errno } from './world.ts'

export interface SegmentTally {
  states: number
  audits: number
  runs: number
}

/** One in so many states also goes on after the audit; one in so many is crashed again while it comes up. */
const furtherEvery = 2
const againEvery = 8

export interface SegmentAttempt extends Pick<SegmentRunOptions, 'seed' | 'clients' | 'rounds' | 'fault'> {
  /** Look between any two effects, or only when the run has ended. */
  readonly states: 'all' | 'end'
}

/** Problems of the first state that has any, with what runs it again. */
async function exploreSegments(attempt: SegmentAttempt, tally: SegmentTally): Promise<readonly string[]> {
  const looked = new Set<string>()
  let problems: readonly string[] = []

  const look = async (run: SegmentRun, step: number, cut: Cut) => {
    tally.states++
    if (problems.length > 0) return
    const random = randomFrom(attempt.seed * 7919 + step)
    const image = cut === 'kill' ? run.files.image : crashDisk(run.files.image, cut, random)
    const print = `${run.answers} ${cut === 'kill'} ${fingerprint({ disk: image, rows: noRows })}`
    if (looked.has(print)) return
    looked.add(print)
    tally.audits++
    const further = looked.size % furtherEvery === 0 ? { random, keep: random.pick(keeps) } : undefined
    const facts = factsFor(run)
    let found = await auditSegments(image, facts, further)
    if (found.length === 0 && looked.size % againEvery === 1) {
      const again = await auditSegments(await crashedAgain(image, step), facts, undefined)
      found = again.map((problem) => `crashed again: ${problem}`)
    }
    if (found.length > 0)
      problems = [`seed=${attempt.seed} step=${step} cut=${cut} ${JSON.stringify(attempt)}`, ...found]
  }

  let before: DiskImage | undefined
  const onRest = async (run: SegmentRun, step: number) => {
    if (run.files.image === before) return
    before = run.files.image
    for (const cut of [...keeps, 'kill'] as const) await look(run, step, cut)
  }

  const run = await SegmentRun.of({ ...attempt, onRest: attempt.states === 'all' ? onRest : undefined })
  for (const cut of [...keeps, 'kill'] as const) await look(run, run.world.step, cut)
  tally.runs++
  return problems.length > 0
    ? problems
    : run.surprises.map((each) => `seed=${attempt.seed}: ${describe(each)} ${JSON.stringify(attempt.fault)}`)
}

export interface SegmentHunt {
  readonly seed: number
  /** States to look at in runs where nothing fails. */
  readonly states: number
  /** Runs in which one effect fails. */
  readonly faults: number
  /** Of this kind alone. @default any */
  readonly operation?: string | undefined
}

/** Stops at the first problem. */
export async function huntSegments({ seed, states, faults, operation }: SegmentHunt) {
  const tally: SegmentTally = { states: 0, audits: 0, runs: 0 }
  for (let n = seed; tally.states < states; n++) {
    const problems = await exploreSegments({ seed: n, clients: 3, rounds: 8, states: 'all' }, tally)
    if (problems.length > 0) return { problems, tally }
  }
  const until = tally.runs + faults
  for (let n = seed; tally.runs < until; n++) {
    for await (const attempt of segmentFaults({ seed: n, clients: 3, rounds: 8 }, operation)) {
      const problems = await exploreSegments(attempt, tally)
      if (problems.length > 0 || tally.runs >= until) return { problems, tally }
    }
  }
  return { problems: [], tally }
}

const describe = (error: unknown): string => (error instanceof Error ? (error.stack ?? String(error)) : String(error))

/**
 * When the sync of a directory failed, a deleted file may come back for good, though clients saw that it was gone. Then
 * deleted blobs may be present. (Here no later sync repairs that; the store takes no more writes until it is opened
 * again.)
 */
function factsFor({ world, facts }: SegmentRun): Facts {
  const fault = world.faultedOperation
  if (fault !== 'fsyncdir') return facts
  const forgiving = new Map(facts)
  for (const [id, fact] of facts) forgiving.set(id, { ...fact, mayReturn: true })
  return forgiving
}

const crashedAgain = (image: DiskImage, seed: number): Promise<DiskImage> =>
  crashAgain(randomFrom(seed), 30, (world) => {
    const files = new SimFiles(world, image)
    return { comeUp: () => openBlobs(world, files), cut: () => crashDisk(files.image, 'subset', world.random) }
  })

const errnos: readonly Errno[] = ['EIO', 'ENOSPC', 'EROFS', 'EMFILE']
const opening: ReadonlySet<string> = new Set(['open', 'create', 'readdir'])

/** Every seventh effect of a run fails, or every one of a kind, once and for ever, in every way. */
async function* segmentFaults(
  script: Pick<SegmentAttempt, 'seed' | 'clients' | 'rounds'>,
  only: string | undefined,
): AsyncGenerator<SegmentAttempt> {
  const { world } = await SegmentRun.of(script)
  for (const [at, label] of world.trace.entries()) {
    const [operation = ''] = label.split(' ')
    if (only === undefined ? at % 7 !== script.seed % 7 : operation !== only) continue
    for (const errno of errnos) {
      if (errno === 'EMFILE' && !opening.has(operation)) continue
      for (const forever of [false, true]) {
        yield { ...script, fault: world.plan(at, errno, forever), states: 'end' }
      }
    }
  }
}
