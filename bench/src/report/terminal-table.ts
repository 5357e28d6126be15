/** Formats one workload as a table for the terminal. */
import type { ContenderResult, WorkloadResult } from '../results/results.ts'
import { columns } from './columns.ts'
import { mebibytes, short, spreadText } from './format.ts'
import { boundNoteFor, markedRate } from './marked-rate.ts'

const heads = [
  '',
  'rate [spread]',
  'of the floor',
  'p50 ms',
  'p95',
  'p99',
  'max',
  'CPU µs',
  'written',
  'on disk',
  'memory',
]

export function terminalTable({ workload, contenders, leftOut = [] }: WorkloadResult): string {
  const rows = contenders.map((one) => rowOf(one, workload.unit, workload.floors[0]))
  const [head = '', ...lines] = columns([heads, ...rows])
  const absent = leftOut.map(({ name, reason }) => `${name} is left out: ${reason}`)
  const body = [head, ...lines, ...boundNoteFor(contenders), ...absent].map((line) => `  ${line}`)
  return [`${workload.name}: ${workload.title}`, ...body, ''].join('\n')
}

function rowOf(one: ContenderResult, unit: WorkloadResult['workload']['unit'], floor: string | undefined): string[] {
  const { figures, ratios, kind, name, spaceAmplification } = one
  const ratio = floor === undefined ? undefined : ratios[floor]
  return [
    kind === 'floor' ? `(${name})` : name,
    markedRate(unit, figures),
    ratio === undefined ? '' : spreadText(ratio),
    ...[figures.p50, figures.p95, figures.p99, figures.max].map(({ median }) => short(median)),
    short(figures.cpuMicros.median),
    figures.writeAmplification === undefined ? '' : `${short(figures.writeAmplification.median)} ×`,
    spaceAmplification === undefined ? '' : `${short(spaceAmplification)} ×`,
    mebibytes(figures.peakMemory.median),
  ]
}
