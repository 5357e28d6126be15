/** The best layouts of each workload: the fastest, and those that the rounds do not distinguish from it. */
import type { ContenderResult, WorkloadResult } from '../results/results.ts'
import { overlap } from '../basics/statistics.ts'

export interface Winners {
  readonly best: string
  /** The other layouts that tie with the best one. */
  readonly ties: readonly string[]
}

export const layoutsOf = ({ contenders }: WorkloadResult): ContenderResult[] =>
  contenders.filter(({ kind }) => kind === 'layout')

/** A store in memory shows an upper limit; it is not a choice. */
export const competes = (name: string): boolean => name !== 'memory'

/** The durable ones, the fastest first. */
export const ranked = (result: WorkloadResult): ContenderResult[] =>
  layoutsOf(result)
    .filter(({ name }) => competes(name))
    .toSorted((a, b) => b.figures.rate.median - a.figures.rate.median)

/**
 * A contender that is not durable does not compete with durable ones. `undefined` when there is nothing to compare
 * with.
 */
export function winnersOf(result: WorkloadResult): Winners | undefined {
  const [best, ...others] = ranked(result)
  if (best === undefined || others.length === 0) return undefined
  const ties = others.filter(({ figures }) => overlap(figures.rate, best.figures.rate)).map(({ name }) => name)
  return { best: best.name, ties }
}
