/** Runs a plan: every contender in its own process, one at a time, in interleaved rounds. */
import { rm } from 'node:fs/promises'
import { type Contender, type Launcher, prepareContender } from '../contenders/contender.ts'
import type { ContenderTask } from '../contenders/contender-task.ts'
import { directorySize } from '../basics/directory-size.ts'
import { contendersFor, type ContenderName, type Plan } from '../plan/plan.ts'
import {
  type LeftOut,
  type Measured,
  type RoundResult,
  workloadResult,
  type WorkloadResult,
} from '../results/results.ts'
import type { Workload } from '../workloads/workload.ts'
import type { Workspace } from '../plan/workspace.ts'

export interface RunOptions {
  readonly launch: Launcher
  readonly workspace: Workspace
  readonly signal: AbortSignal
  /** `done` of `total` rounds. */
  onProgress?(label: string, progress: { readonly done: number; readonly total: number }): void
  onWorkload?(result: WorkloadResult): Promise<void>
}

interface Entrant extends ContenderName {
  readonly directory: string
  readonly rounds: RoundResult[]
  contender?: Contender
}

/** @throws the reason of `signal`; the error of a contender */
export async function runBench(plan: Plan, options: RunOptions): Promise<WorkloadResult[]> {
  const results: WorkloadResult[] = []
  const total = plan.workloads.reduce((sum, one) => sum + contendersFor(plan, one).length * (plan.rounds + 1), 0)
  let done = 0
  for (const workload of plan.workloads) {
    const step = (what: string) => options.onProgress?.(`${workload.name}: ${what}`, { done: done++, total })
    const result = await runWorkload(plan, workload, options, step)
    results.push(result)
    await options.onWorkload?.(result)
  }
  return results
}

type Step = (what: string) => void

async function runWorkload(plan: Plan, workload: Workload, options: RunOptions, step: Step): Promise<WorkloadResult> {
  const { launch, workspace, signal } = options
  const entrants: Entrant[] = []
  const field = new Field(signal)
  try {
    for (const name of contendersFor(plan, workload)) {
      signal.throwIfAborted()
      const entrant: Entrant = { ...name, directory: await workspace.directory(name.name), rounds: [] }
      entrants.push(entrant)
      await field.take(entrant, async () => {
        entrant.contender = await prepareContender(launch, taskOf(entrant, workload, plan.seed))
      })
    }
    // The first round warms up and does not count.
    for (let round = 0; round <= plan.rounds; round++) {
      for (const entrant of rotated(entrants, round)) {
        signal.throwIfAborted()
        step(entrant.name)
        await field.take(entrant, async () => {
          const result = await entrant.contender?.round(round)
          if (round > 0 && result !== undefined) entrant.rounds.push(result)
        })
      }
    }
    const measured: Measured[] = []
    for (const entrant of entrants) await field.take(entrant, async () => void measured.push(await finish(entrant)))
    return workloadResult(workload, measured, field.leftOut)
  } catch (error) {
    // An interrupt ends the processes of the contender, so their failure is expected.
    signal.throwIfAborted()
    throw error
  } finally {
    for (const { contender, directory } of entrants) {
      await contender?.end()
      await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    }
  }
}

/**
 * The contenders that still take part. A rival that fails is left out. A layout or a floor that fails ends the bench.
 */
class Field {
  readonly leftOut: LeftOut[] = []
  readonly #signal: AbortSignal

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  async take({ kind, name }: ContenderName, turn: () => Promise<void>): Promise<void> {
    if (this.leftOut.some((one) => one.name === name)) return
    try {
      await turn()
    } catch (error) {
      this.#signal.throwIfAborted()
      if (kind !== 'rival') throw error
      this.leftOut.push({ name, reason: reasonOf(error) })
    }
  }
}

/** Only the reason, without the names of the contender and the workload. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}

function taskOf({ kind, name, rival, directory }: Entrant, workload: Workload, seed: number): ContenderTask {
  return { kind, contender: name, workload, directory, seed, ...(rival && { rival }) }
}

/**
 * Rotates the order, so that no contender is always the first or always runs behind the same neighbour's compaction.
 */
const rotated = <T>(list: readonly T[], by: number): T[] => list.map((_, i) => list[(i + by) % list.length] as T)

async function finish({ kind, name, about, rounds, contender, directory }: Entrant): Promise<Measured> {
  const { live } = (await contender?.finish()) ?? {}
  const size = await directorySize(directory)
  const onDisk = live !== undefined && live > 0 && size > 0
  return { kind, name, about, rounds, ...(onDisk && { spaceAmplification: size / live }) }
}
