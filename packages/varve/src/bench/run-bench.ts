/** Runs a plan: every contender in its own process, one at a time, in interleaved rounds. */
import { rm } from 'node:fs/promises'
import { type Contender, type Launcher, prepareContender } from './contender.ts'
import { directorySize } from './directory-size.ts'
import { contendersFor, type ContenderName, type Plan } from './plan.ts'
import { type Measured, type RoundResult, workloadResult, type WorkloadResult } from './results/results.ts'
import type { Workload } from './workloads/workload.ts'
import type { Workspace } from './workspace.ts'

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
  readonly contender: Contender
  readonly rounds: RoundResult[]
}

/** @throws the reason of `signal`; what a contender fails with */
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
  try {
    for (const name of contendersFor(plan, workload)) {
      signal.throwIfAborted()
      const directory = await workspace.directory(name.name)
      const { kind, rival } = name
      const task = { kind, contender: name.name, workload, directory, seed: plan.seed, ...(rival && { rival }) }
      entrants.push({ ...name, directory, contender: await prepareContender(launch, task), rounds: [] })
    }
    // The first round warms up, and is not kept.
    for (let round = 0; round <= plan.rounds; round++) {
      for (const { name, contender, rounds } of rotated(entrants, round)) {
        signal.throwIfAborted()
        step(name)
        const result = await contender.round(round)
        if (round > 0) rounds.push(result)
      }
    }
    const measured: Measured[] = []
    for (const entrant of entrants) measured.push(await finish(entrant))
    return workloadResult(workload, measured)
  } catch (error) {
    // Its processes are ended when a bench is interrupted: that they fail then is no news.
    signal.throwIfAborted()
    throw error
  } finally {
    for (const { contender, directory } of entrants) {
      await contender.end()
      await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    }
  }
}

/** Nobody is always the first, or always behind the same neighbour's compaction. */
const rotated = <T>(list: readonly T[], by: number): T[] => list.map((_, i) => list[(i + by) % list.length] as T)

async function finish({ kind, name, about, rounds, contender, directory }: Entrant): Promise<Measured> {
  const { live } = await contender.finish()
  const size = await directorySize(directory)
  const onDisk = live !== undefined && live > 0 && size > 0
  return { kind, name, about, rounds, ...(onDisk && { spaceAmplification: size / live }) }
}
