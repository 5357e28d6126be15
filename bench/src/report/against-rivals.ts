/** The ratio of the fastest layout to each rival, for each workload. */
import type { BenchResults, WorkloadResult } from '../results/results.ts'
import type { Spread } from '../basics/statistics.ts'
import { columns } from './columns.ts'
import { spreadText } from './format.ts'
import { ranked } from './winners.ts'

export interface AgainstRivals {
  readonly rivals: readonly string[]
  readonly rows: readonly {
    readonly workload: WorkloadResult['workload']
    readonly layout: string
    /** In the order of `rivals`; `undefined` for a rival that did not take part. */
    readonly ratios: readonly (Spread | undefined)[]
  }[]
}

/** `undefined` when no rival took part. */
export function againstRivals({ workloads }: Pick<BenchResults, 'workloads'>): AgainstRivals | undefined {
  const rivals = [...new Set(workloads.flatMap((result) => rivalsOf(result)))]
  const rows = workloads.flatMap((result) => {
    const [best] = ranked(result)
    if (best === undefined || rivalsOf(result).length === 0) return []
    return [{ workload: result.workload, layout: best.name, ratios: rivals.map((rival) => best.ratios[rival]) }]
  })
  return rows.length === 0 ? undefined : { rivals, rows }
}

const rivalsOf = ({ contenders }: WorkloadResult): string[] =>
  contenders.filter(({ kind }) => kind === 'rival').map(({ name }) => name)

export function rivalsTable({ rivals, rows }: AgainstRivals): string {
  const lines = rows.map(({ workload, layout, ratios }) => [
    workload.name,
    layout,
    ...ratios.map((ratio) => (ratio === undefined ? '' : spreadText(ratio, ' ×'))),
  ])
  return columns([['', 'fastest layout', ...rivals.map((name) => `÷ ${name}`)], ...lines]).join('\n')
}
