/** Which layout is best for what: the fastest, and those that the rounds do not tell from it. */
import type { ContenderResult, WorkloadResult } from '../results/results.ts'
import { overlap } from '../statistics.ts'

export interface Winners {
  readonly best: string
  /** Without the best. */
  readonly ties: readonly string[]
}

export const layoutsOf = ({ contenders }: WorkloadResult): ContenderResult[] =>
  contenders.filter(({ kind }) => kind === 'layout')

/** What is not durable competes with nobody that is. `undefined` when there is nobody to be better than. */
export function winnersOf(result: WorkloadResult, competing: (name: string) => boolean): Winners | undefined {
  const layouts = layoutsOf(result).filter(({ name }) => competing(name))
  const [best, ...others] = layouts.toSorted((a, b) => b.figures.rate.median - a.figures.rate.median)
  if (best === undefined || others.length === 0) return undefined
  const ties = others.filter(({ figures }) => overlap(figures.rate, best.figures.rate)).map(({ name }) => name)
  return { best: best.name, ties }
}
