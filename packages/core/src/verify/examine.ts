/** Verifies a store without opening it: for one that refuses to open, and for evidence that must stay as it is. */
import type { Divergence, VerifyOptions } from './report.ts'
import type { ExaminedPorts } from './subject.ts'
import { type Examination, examineSubject } from './verify.ts'

/**
 * Nothing may write to the ports meanwhile. Findings are in the report, behind those that were `known` before; only what
 * is no damage is thrown.
 */
export async function examine(
  ports: ExaminedPorts,
  options: VerifyOptions = {},
  known: readonly Divergence[] = [],
): Promise<Examination> {
  const end = await ports.journal.head()
  return examineSubject({ ports, end, rows: ports.journal, isInFlight: () => false }, options, known)
}
