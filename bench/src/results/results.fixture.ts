/** Results as a bench makes them, from rates that a test chooses. */
import type { ContenderKind } from '../plan/plan.ts'
import { type BenchResults, type Measured, type RoundResult, schema, workloadResult } from './results.ts'
import { builtInWorkloads } from '../workloads/built-in.ts'
import type { Workload } from '../workloads/workload.ts'

const roundOf = (rate: number): RoundResult => ({
  rate,
  p50: 1,
  p95: 2,
  p99: 3.25,
  max: 4,
  cpuMicros: 50,
  peakMemory: 2 ** 20,
  writeAmplification: 1.5,
})

export const measured = (kind: ContenderKind, name: string, rates: readonly number[]): Measured => ({
  kind,
  name,
  about: `about ${name}`,
  rounds: rates.map(roundOf),
})

export function resultsOf(contenders: readonly Measured[], workload = builtInWorkloads[1] as Workload): BenchResults {
  return {
    schema,
    date: '2026-01-02T03:04:05.678Z',
    varve: '0.1.0',
    node: 'v20.20.0',
    machine: { platform: 'linux 6 x64', processors: 2, model: 'A processor', memory: 2 ** 33, fileSystem: 'ext4' },
    options: { rounds: 3, scale: 1, seed: 1, smoke: false },
    workloads: [workloadResult(workload, contenders)],
  }
}

/** The same with processors that the generator and the server used, as over HTTP. */
export const withShares = (one: Measured, generatorCpu: number, serverCpu: number): Measured => ({
  ...one,
  rounds: one.rounds.map((round) => ({ ...round, generatorCpu, serverCpu })),
})
