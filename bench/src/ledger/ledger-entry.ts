/**
 * An entry of the ledger: what stays of the results of one run, for comparisons over releases. Its parts are those of
 * the results, without the rounds. A change that old readers would misread gets a new `form`.
 */
import { ratioOf, type Spread } from '../basics/statistics.ts'
import type { BenchResults, ContenderResult, Figures, WorkloadResult } from '../results/results.ts'

export const entryForm = 'varve-bench-ledger/1'

/** What the results do not hold. */
export interface EntryFacts {
  /** The machine, in a word. Only figures with the same label can be compared. */
  readonly label: string
  /** What readers should know, such as other work on the machine. */
  readonly note?: string
  /** The commit of Varve that ran. */
  readonly commit?: string
}

export interface LedgerEntry extends EntryFacts, Pick<BenchResults, 'date' | 'varve' | 'node' | 'machine' | 'options'> {
  readonly form: typeof entryForm
  readonly workloads: readonly LedgerWorkload[]
}

export interface LedgerWorkload extends Pick<WorkloadResult, 'workload'> {
  readonly contenders: readonly LedgerContender[]
}

export interface LedgerContender extends Pick<ContenderResult, 'kind' | 'name'> {
  readonly figures: LedgerFigures
  /** Divided by the first floor of the workload: medians of the ratios of rounds. */
  readonly ofFloor?: Readonly<Record<RatioName, Spread>>
}

export type LedgerFigures = Pick<Figures, 'cpuMicros' | 'rate' | 'generatorCpu' | 'serverCpu'>
type RatioName = 'cpuMicros' | 'rate'

export function entryOf(results: BenchResults, { label, note, commit }: EntryFacts): LedgerEntry {
  const { date, varve, node, machine, options, workloads } = results
  return {
    form: entryForm,
    label,
    ...(note !== undefined && { note }),
    ...(commit !== undefined && { commit }),
    date,
    varve,
    node,
    machine,
    options,
    workloads: workloads.map(workloadOf),
  }
}

function workloadOf({ workload, contenders }: WorkloadResult): LedgerWorkload {
  const floor = contenders.find(({ name }) => name === workload.floors[0])
  return { workload, contenders: contenders.map((one) => contenderOf(one, floor)) }
}

function contenderOf(one: ContenderResult, floor: ContenderResult | undefined): LedgerContender {
  const { kind, name, figures } = one
  const { cpuMicros, rate, generatorCpu, serverCpu } = figures
  const ratios = floor === undefined || floor === one ? undefined : ratiosOf(one, floor)
  return {
    kind,
    name,
    figures: {
      cpuMicros: shortened(cpuMicros),
      rate: shortened(rate),
      ...(generatorCpu && { generatorCpu: shortened(generatorCpu) }),
      ...(serverCpu && { serverCpu: shortened(serverCpu) }),
    },
    ...(ratios && { ofFloor: ratios }),
  }
}

/** `undefined` where the floor has used no processor time that the system could measure. */
function ratiosOf(one: ContenderResult, floor: ContenderResult): LedgerContender['ofFloor'] {
  const ratio = (name: RatioName) =>
    ratioOf(
      one.rounds.map((round) => round[name]),
      floor.rounds.map((round) => round[name]),
    )
  const [cpuMicros, rate] = [ratio('cpuMicros'), ratio('rate')]
  return cpuMicros && rate && { cpuMicros: shortened(cpuMicros), rate: shortened(rate) }
}

/** Four digits are more than two runs agree in, and keep the file small. */
const shortened = ({ median, min, max }: Spread): Spread => ({
  median: Number(median.toPrecision(4)),
  min: Number(min.toPrecision(4)),
  max: Number(max.toPrecision(4)),
})
