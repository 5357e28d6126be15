/** Verifies a store without opening it: for a store that does not open, or that must not be changed. */
import { treeReducers } from '../proofs/tree-keyspace.ts'
import type { Divergence, VerifyOptions } from './report.ts'
import type { ExaminedPorts } from './subject.ts'
import { type Examination, examineSubject } from './verify.ts'

/**
 * Nothing may write to the ports meanwhile. The report contains the findings, after the `known` ones. Only errors that
 * are no damage are thrown.
 */
export async function examine(
  ports: ExaminedPorts,
  options: VerifyOptions = {},
  known: readonly Divergence[] = [],
): Promise<Examination> {
  const end = await ports.journal.head()
  const reducers = treeReducers(ports.hashing)
  return examineSubject({ ports, end, rows: ports.journal, isInFlight: () => false, reducers }, options, known)
}
