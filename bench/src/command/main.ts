/** Runs a whole bench, from its options to the written results. */
import type { Terminal } from './terminal.ts'
import { type ReportFiles, writeReport } from './bench-report.ts'
import { bytesText } from '../report/format.ts'
import { type Estimate, estimateOf } from '../plan/estimate.ts'
import { entryOf } from '../ledger/ledger-entry.ts'
import { addEntry, assertAddable, type LedgerPlace, readLedger, withEntry } from '../ledger/ledger.ts'
import { forkedWorkers } from '../contenders/fork-worker.ts'
import { machineOf } from '../results/machine.ts'
import { type Plan, planOf, type PlanOptions } from '../plan/plan.ts'
import { type BenchResults, schema, type WorkloadResult } from '../results/results.ts'
import { runBench } from './run-bench.ts'
import { smokeOf } from '../plan/smoke.ts'
import { assertRoom, openWorkspace, type Workspace } from '../plan/workspace.ts'

export interface BenchOptions extends PlanOptions {
  /** The directory in which stores are made. Default: a temporary directory. */
  readonly dir?: string
  /** The directory for results; `undefined` keeps none. */
  readonly out?: string
  /** The ledger to which the run is added. */
  readonly ledger?: LedgerPlace
  readonly smoke: boolean
  readonly varve: string
  readonly signal: AbortSignal
  readonly progress: Terminal['progress']
  /** Prints a text for people, before and after the work. */
  note(text: string): void
  onWorkload(result: WorkloadResult): Promise<void>
}

export interface BenchEnd {
  readonly results: BenchResults
  readonly files?: ReportFiles
  /** The file of the new entry of the ledger. */
  readonly entry?: string
}

/** @throws UsageError, LedgerError, StorageError `NoSpace`, the reason of `signal`, the error of a contender */
export async function bench(options: BenchOptions): Promise<BenchEnd> {
  const chosen = planOf(options)
  const plan = options.smoke ? { ...chosen, workloads: chosen.workloads.map(smokeOf) } : chosen
  const estimate = estimateOf(plan)
  const workspace = await openWorkspace(options.dir)
  try {
    await assertRoom(workspace, estimate)
    const date = new Date().toISOString()
    const machine = await machineOf(workspace.path)
    if (options.ledger !== undefined) await assertAddable(options.ledger, { varve: options.varve, machine })
    options.note(announcement(plan, estimate, workspace, machine.fileSystem))
    const workloads = await runInProcesses(plan, workspace, options)
    const { rounds, scale, seed } = plan
    const settings = { rounds, scale, seed, smoke: options.smoke }
    const results = {
      schema,
      date,
      varve: options.varve,
      node: process.version,
      machine,
      options: settings,
      workloads,
    } as const
    return { results, ...(await keep(results, options)) }
  } finally {
    await workspace.remove()
  }
}

/** The report comes first, so that a failure of the ledger does not lose the run. */
async function keep(results: BenchResults, { out, ledger }: BenchOptions): Promise<Omit<BenchEnd, 'results'>> {
  const entry = ledger && entryOf(results, ledger)
  const entries = ledger && entry ? withEntry(await readLedger(ledger.directory), entry) : []
  const files = out === undefined ? undefined : await writeReport(out, results, entries)
  const added = ledger && entry ? await addEntry(ledger, entry) : undefined
  return { ...(files && { files }), ...(added !== undefined && { entry: added }) }
}

async function runInProcesses(plan: Plan, workspace: Workspace, options: BenchOptions): Promise<WorkloadResult[]> {
  const { signal, progress, onWorkload, smoke } = options
  const workers = forkedWorkers(smoke)
  const endAll = () => void workers.endAll()
  signal.addEventListener('abort', endAll, { once: true })
  try {
    return await runBench(plan, {
      launch: workers.launch,
      workspace,
      signal,
      onProgress: (label, done) => progress.show(label, done),
      async onWorkload(result) {
        progress.clear()
        await onWorkload(result)
      },
    })
  } finally {
    signal.removeEventListener('abort', endAll)
    progress.clear()
    await workers.endAll()
  }
}

function announcement(
  plan: Plan,
  { written, atOnce }: Estimate,
  { path }: Workspace,
  fileSystem: string | undefined,
): string {
  const lines = [
    `${plan.workloads.length} workloads, ${plan.layouts.map(({ name }) => name).join(', ')}, ${plan.rounds} rounds, seed ${plan.seed}.`,
    `About ${bytesText(written)} of objects will be written to ${path}, with up to ${bytesText(atOnce)} there at once; all of it is removed.`,
  ]
  if (fileSystem === 'tmpfs')
    lines.push('That is memory, not a disk: name a directory with --dir for figures that mean something.')
  return lines.join('\n')
}
