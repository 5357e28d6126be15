/** Formats a comparison as a table for the terminal. */
import type { Compared } from '../results/compare.ts'
import { columns } from './columns.ts'
import { rateSpread, short } from './format.ts'

const marks = { faster: '▲ faster', slower: '▼ slower', 'within the spread': '' } as const

export function comparisonTable({ rows, notes }: Compared): string {
  const lines = columns([
    ['', 'first', 'second', 'rate ×', 'p99 ×', 'CPU ×', ''],
    ...rows.map(({ workload, contender, unit, before, after, rate, p99, cpu, verdict }) => [
      `${workload}, ${contender}`,
      rateSpread(unit, before),
      rateSpread(unit, after),
      short(rate),
      short(p99),
      short(cpu),
      marks[verdict],
    ]),
  ])
  return [...lines, ...notes].join('\n')
}
