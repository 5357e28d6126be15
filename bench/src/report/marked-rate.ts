/** Rates as text, with a mark for those that are bound by the load generator. */
import { boundShare, isBoundByGenerator } from '../results/generator-bound.ts'
import type { Figures } from '../results/results.ts'
import type { Unit } from '../workloads/workload.ts'
import { rateSpread } from './format.ts'

export const boundMark = '†'

export const boundNote = `${boundMark} Bound by the generator: sending the requests used more than ${boundShare * 100} % of a processor, and the server used less. This server can answer more than that, so ratios with this rate say little.`

type RateFigures = Pick<Figures, 'rate' | 'generatorCpu' | 'serverCpu'>

export const markedRate = (unit: Unit, figures: RateFigures): string =>
  `${rateSpread(unit, figures.rate)}${isBoundByGenerator(figures) ? ` ${boundMark}` : ''}`

/** The note, if any of these rates has the mark. */
export const boundNoteFor = (contenders: readonly { readonly figures: RateFigures }[]): readonly string[] =>
  contenders.some(({ figures }) => isBoundByGenerator(figures)) ? [boundNote] : []
