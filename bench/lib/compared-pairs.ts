/** The verdict on two contenders that were measured in pairs, one pair in each round. */
import { medianInterval } from '../src/basics/statistics.ts'
import { medianOf } from './measure.ts'

/** Costs of one round, in milliseconds. */
export type Pair = readonly [ours: number, theirs: number]

/** Measures the cost of one operation, in milliseconds. */
export type Measure = () => Promise<number>

export interface Comparison {
  readonly names: readonly [ours: string, theirs: string]
  /** The highest acceptable ratio of our cost to theirs. */
  readonly costMax: number
  /** A wider interval cannot show a difference of that size. */
  readonly judgedMax: number
  /** Digits of the ratios after the point. */
  readonly digits: number
  /** The width of the column of names. @default 26 */
  readonly nameWidth?: number
}

/**
 * The costs of both sides in one round: the mean of two measurements of each side, in the order A B B A, so that neither
 * gains from being later. The sides take turns to be first.
 */
export async function pairOf([ours, theirs]: readonly [Measure, Measure], round: number): Promise<Pair> {
  const sums: [number, number] = [0, 0]
  const [first, second] = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)
  for (const side of [first, second, second, first]) sums[side] += (await (side === 0 ? ours : theirs)()) / 2
  return sums
}

/** One line: both medians, the median of the ratios with its 95 % confidence interval, and the verdict. */
export function comparedLine(name: string, pairs: readonly Pair[], comparison: Comparison): string {
  const { names, digits, nameWidth = 26 } = comparison
  const micros = (side: 0 | 1) => `${names[side]} ${`${mediansOf(pairs, side)} us`.padStart(9)}`
  const ratios = pairs.map(([ours, theirs]) => ours / theirs)
  const { min, max } = medianInterval(ratios)
  const figures = `${medianOf(ratios).toFixed(digits)} [${min.toFixed(digits)} .. ${max.toFixed(digits)}]`
  return `${name.padEnd(nameWidth)} ${micros(0)}  ${micros(1)}  ${figures}  ${verdictOf(min, max, comparison)}`
}

const mediansOf = (pairs: readonly Pair[], side: 0 | 1): number =>
  Math.round(medianOf(pairs.map((pair) => pair[side])) * 1000)

function verdictOf(min: number, max: number, { costMax, judgedMax, digits }: Comparison): string {
  if (max <= costMax) return 'no dearer'
  if (min > costMax) return 'dearer'
  return max - min > judgedMax ? 'too noisy to judge' : `may cost up to ${max.toFixed(digits)}`
}
