import type { Tip } from '../ports/index.ts'
import { Findings } from './findings.ts'
import type { VerifyOptions } from './report.ts'
import type { ExaminedPorts } from './subject.ts'
import { rememberedTips } from './verify-tips.ts'

/** The ends of the log that the witness, the head row and the caller remember, as far as they can be read. */
export const rememberedEnds = (ports: ExaminedPorts, options: Pick<VerifyOptions, 'tip'>): Promise<readonly Tip[]> =>
  rememberedTips({ ports, end: 0, rows: ports.journal, isInFlight: () => false }, options, new Findings())
