/** Everything a `Journal` promises, whatever it is made of. */
import type { Journal } from '../ports/index.ts'
import type { ContractCase, OpenFresh } from './contract.ts'
import { journalCommitCases } from './journal-commit-cases.ts'
import { journalLifeCases } from './journal-life-cases.ts'
import { journalReadCases } from './journal-read-cases.ts'

/** What every journal must do, one case each. */
export const journalContract: readonly ContractCase<OpenFresh<Journal>>[] = [
  ...journalCommitCases,
  ...journalReadCases,
  ...journalLifeCases,
]
