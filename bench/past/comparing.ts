/** Compares pairs of work in this process by their processor time, and prints a line of the table for each. */
import { comparedLine, type Comparison, type Measure, type Pair, pairOf } from '../lib/compared-pairs.ts'
import { inFlight } from '../lib/measure.ts'

export interface Rounds {
  readonly rounds: number
  /** They do not count: the runtime optimises code that runs often. */
  readonly warmUp: number
}

/** What the table says about a pair. `wanted`: the highest ratio. */
export interface Wanted {
  readonly names: Comparison['names']
  readonly wanted: number
}

export type Row = readonly [name: string, sides: readonly [Measure, Measure]]

const width = 16

export async function compare(
  rows: readonly Row[],
  { rounds, warmUp }: Rounds,
  { names, wanted }: Wanted,
): Promise<void> {
  const comparison = { names, costMax: wanted, judgedMax: wanted / 5, digits: 2, nameWidth: 46 }
  for (const [name, sides] of rows) {
    const pairs: Pair[] = []
    for (let round = -warmUp; round < rounds; round++) {
      const pair = await pairOf(sides, round)
      if (round >= 0) pairs.push(pair)
    }
    console.log(comparedLine(name, pairs, comparison))
  }
}

/** The processor time of one of `count` operations, in milliseconds. `end` belongs to them, and is no operation. */
export const processorTime =
  (count: number, work: (i: number) => Promise<unknown>, end?: () => Promise<unknown>): Measure =>
  async () => {
    const before = process.cpuUsage()
    await inFlight(width, count, work)
    await end?.()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000 / count
  }

export const keyOf = (i: number): string => `prefix/${String(i).padStart(6, '0')}`
