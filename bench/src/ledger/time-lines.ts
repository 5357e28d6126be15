/**
 * The figures of a ledger over releases: for each workload and machine a line for each contender. A line connects only
 * what can be compared: figures of the same machine and the same work.
 */
import { sameWork } from '../results/compare.ts'
import type { Workload } from '../workloads/workload.ts'
import type { LedgerContender, LedgerEntry, LedgerWorkload } from './ledger-entry.ts'
import { compareVersions } from './versions.ts'

export interface TimeLines {
  /** The releases, the oldest first. */
  readonly releases: readonly string[]
  readonly workloads: readonly WorkloadLines[]
}

export interface WorkloadLines {
  /** As the newest entry has it. */
  readonly workload: Workload
  readonly machines: readonly MachineLines[]
}

export interface MachineLines {
  readonly label: string
  readonly lines: readonly TimeLine[]
}

export interface TimeLine extends Pick<LedgerContender, 'kind' | 'name'> {
  /** The points of each part are connected; the work differs between the parts. */
  readonly parts: readonly (readonly TimePoint[])[]
}

export interface TimePoint extends Pick<LedgerContender, 'figures' | 'ofFloor'> {
  /** The place in `releases`. */
  readonly release: number
  readonly entry: LedgerEntry
  readonly workload: Workload
}

/** `entries` are in the order of their releases. */
export function timeLines(entries: readonly LedgerEntry[]): TimeLines {
  const releases = [...new Set(entries.map(({ varve }) => varve))].toSorted(compareVersions)
  const newestFirst = entries.toReversed().flatMap(({ workloads }) => workloads.map(({ workload }) => workload))
  const newest = new Map<string, Workload>()
  for (const workload of newestFirst) if (!newest.has(workload.name)) newest.set(workload.name, workload)
  const labels = [...new Set(entries.map(({ label }) => label))].toSorted()
  const workloads = [...newest.values()].map((workload) => {
    const machines = labels.map((label) => {
      const runs = runsOf(entries, label, workload.name)
      return { label, lines: linesOf(runs, releases) }
    })
    return { workload, machines: machines.filter(({ lines }) => lines.length > 0) }
  })
  return { releases, workloads }
}

interface Run extends LedgerWorkload {
  readonly entry: LedgerEntry
}

const runsOf = (entries: readonly LedgerEntry[], label: string, name: string): Run[] =>
  entries
    .filter((entry) => entry.label === label)
    .flatMap((entry) =>
      entry.workloads.filter(({ workload }) => workload.name === name).map((one) => ({ ...one, entry })),
    )

function linesOf(runs: readonly Run[], releases: readonly string[]): TimeLine[] {
  const lines = new Map<string, { kind: TimeLine['kind']; name: string; parts: TimePoint[][] }>()
  // The contenders of the newest run come first, in its order.
  for (const { contenders } of runs.toReversed())
    for (const { kind, name } of contenders)
      if (!lines.has(`${kind} ${name}`)) lines.set(`${kind} ${name}`, { kind, name, parts: [] })
  for (const { contenders, workload, entry } of runs) {
    for (const { kind, name, figures, ofFloor } of contenders) {
      const point = { release: releases.indexOf(entry.varve), entry, workload, figures, ...(ofFloor && { ofFloor }) }
      const parts = lines.get(`${kind} ${name}`)?.parts ?? []
      const last = parts.at(-1)
      if (last?.[0] !== undefined && sameWork(last[0].workload, workload)) last.push(point)
      else parts.push([point])
    }
  }
  return [...lines.values()]
}
