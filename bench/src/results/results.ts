/** The stored results of a bench. A change that old readers would misread gets a new `schema`. */
import type { ContenderName } from '../plan/plan.ts'
import { ratioOf, type Spread, spreadOf, spreadOfSome } from '../basics/statistics.ts'
import type { Workload } from '../workloads/workload.ts'

export const schema = 'varve-bench/1'

export interface RoundResult {
  /** Units of the workload per second. */
  readonly rate: number
  /** Milliseconds. */
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
  /** Microseconds of processor time per operation, of the process that keeps the objects. */
  readonly cpuMicros: number
  /** The peak, in bytes. */
  readonly peakMemory: number
  /** Bytes written to the medium per byte that was put. */
  readonly writeAmplification?: number
  /** The processors that sending the requests used; 1 is one whole processor. */
  readonly generatorCpu?: number
  /** The processors that the server used meanwhile. */
  readonly serverCpu?: number
}

/** Medians over the rounds, with minimum and maximum. */
export type Figures = { readonly [F in keyof RoundResult]: NonNullable<RoundResult[F]> extends number ? Spread : never }

export interface ContenderResult extends ContenderName {
  readonly rounds: readonly RoundResult[]
  readonly figures: Figures
  /** Bytes on the disk per byte of a live object, after the last round. */
  readonly spaceAmplification?: number
  /** The rate divided by that of each floor and each rival: medians of the ratios of rounds. */
  readonly ratios: Readonly<Record<string, Spread>>
}

export interface WorkloadResult {
  readonly workload: Workload
  readonly contenders: readonly ContenderResult[]
  /** Absent when no contender was left out. */
  readonly leftOut?: readonly LeftOut[]
}

/** A rival that failed or gave a wrong answer: its figures would mean nothing. */
export interface LeftOut {
  readonly name: string
  /** The rival's own message. */
  readonly reason: string
}

export interface Machine {
  readonly platform: string
  readonly processors: number
  readonly model: string
  /** Bytes. */
  readonly memory: number
  /** The file system of the directory that was written to. `undefined` if the system does not report it. */
  readonly fileSystem?: string
}

export interface BenchResults {
  readonly schema: typeof schema
  /** ISO 8601. */
  readonly date: string
  readonly varve: string
  readonly node: string
  readonly machine: Machine
  readonly options: { readonly rounds: number; readonly scale: number; readonly seed: number; readonly smoke: boolean }
  readonly workloads: readonly WorkloadResult[]
}

export interface Measured extends ContenderName {
  readonly rounds: readonly RoundResult[]
  readonly spaceAmplification?: number
}

export function workloadResult(
  workload: Workload,
  measured: readonly Measured[],
  leftOut: readonly LeftOut[] = [],
): WorkloadResult {
  const ratesOf = ({ rounds }: Measured) => rounds.map(({ rate }) => rate)
  const others = measured.filter(({ kind }) => kind !== 'layout')
  const contenders = measured.map((one): ContenderResult => {
    const ratios = others
      .filter((other) => other !== one)
      .flatMap((other) => {
        const ratio = ratioOf(ratesOf(one), ratesOf(other))
        return ratio === undefined ? [] : [[other.name, ratio] as const]
      })
    return { ...one, figures: figuresOf(one.rounds), ratios: Object.fromEntries(ratios) }
  })
  return { workload, contenders, ...(leftOut.length > 0 && { leftOut }) }
}

function figuresOf(rounds: readonly RoundResult[]): Figures {
  const of = (field: 'rate' | 'p50' | 'p95' | 'p99' | 'max' | 'cpuMicros' | 'peakMemory') =>
    spreadOf(rounds.map((round) => round[field]))
  const writeAmplification = spreadOfSome(rounds.map((round) => round.writeAmplification))
  const generatorCpu = spreadOfSome(rounds.map((round) => round.generatorCpu))
  const serverCpu = spreadOfSome(rounds.map((round) => round.serverCpu))
  return {
    rate: of('rate'),
    p50: of('p50'),
    p95: of('p95'),
    p99: of('p99'),
    max: of('max'),
    cpuMicros: of('cpuMicros'),
    peakMemory: of('peakMemory'),
    ...(writeAmplification && { writeAmplification }),
    ...(generatorCpu && { generatorCpu }),
    ...(serverCpu && { serverCpu }),
  }
}
