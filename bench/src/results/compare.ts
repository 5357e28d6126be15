/** Compares two runs: finds changes that are larger than chance explains. */
import { overlap, type Spread } from '../basics/statistics.ts'
import type { Workload } from '../workloads/workload.ts'
import type { BenchResults, ContenderResult, WorkloadResult } from './results.ts'

export type Verdict = 'faster' | 'slower' | 'within the spread'

export interface Comparison {
  readonly workload: string
  readonly contender: string
  readonly before: Spread
  readonly after: Spread
  readonly unit: WorkloadResult['workload']['unit']
  /** Ratio of the medians: after / before. */
  readonly rate: number
  readonly p99: number
  readonly cpu: number
  readonly verdict: Verdict
}

export interface Compared {
  readonly rows: readonly Comparison[]
  /** Reasons why the two runs, or parts of them, cannot be compared. */
  readonly notes: readonly string[]
}

export function compareResults(before: BenchResults, after: BenchResults): Compared {
  const notes = circumstances(before, after)
  const rows: Comparison[] = []
  for (const was of before.workloads) {
    const is = after.workloads.find(({ workload }) => workload.name === was.workload.name)
    if (is === undefined) notes.push(`${was.workload.name}: only in the first.`)
    else if (!sameWork(was.workload, is.workload))
      notes.push(`${was.workload.name}: not the same work in both, so not compared.`)
    else rows.push(...compareWorkload(was, is))
  }
  const added = after.workloads.filter(
    ({ workload: { name } }) => !before.workloads.some((was) => was.workload.name === name),
  )
  notes.push(...added.map(({ workload }) => `${workload.name}: only in the second.`))
  return { rows, notes }
}

function circumstances(before: BenchResults, after: BenchResults): string[] {
  const notes: string[] = []
  const machineOf = ({ machine }: BenchResults) => `${machine.processors} × ${machine.model}, ${machine.platform}`
  if (machineOf(before) !== machineOf(after))
    notes.push(`Not the same machine: ${machineOf(before)}; ${machineOf(after)}.`)
  if (before.node !== after.node) notes.push(`Not the same Node: ${before.node}; ${after.node}.`)
  if (before.options.smoke || after.options.smoke)
    notes.push('A smoke run proves that the bench works; its figures mean nothing.')
  return notes
}

/** The floors may differ; the work itself must be the same. */
export function sameWork(was: Workload, is: Workload): boolean {
  const work = (workload: Workload) => JSON.stringify(sorted({ ...workload, floors: [], title: '' }))
  return work(was) === work(is)
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, of]) => [name, sorted(of)]),
  )
}

function compareWorkload(was: WorkloadResult, is: WorkloadResult): Comparison[] {
  return was.contenders.flatMap((before) => {
    const after = is.contenders.find(({ name, kind }) => name === before.name && kind === before.kind)
    return after === undefined ? [] : [compareContender(was.workload, before, after)]
  })
}

function compareContender(
  { name, unit }: WorkloadResult['workload'],
  { figures: before, name: contender }: ContenderResult,
  { figures: after }: ContenderResult,
): Comparison {
  const rate = after.rate.median / before.rate.median
  return {
    workload: name,
    contender,
    unit,
    before: before.rate,
    after: after.rate,
    rate,
    p99: after.p99.median / before.p99.median,
    cpu: after.cpuMicros.median / before.cpuMicros.median,
    verdict: overlap(before.rate, after.rate) ? 'within the spread' : rate > 1 ? 'faster' : 'slower',
  }
}
