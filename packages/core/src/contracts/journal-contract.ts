/** The promises of every `Journal`. */
import type { Journal } from '../ports/index.ts'
import type { ContractCase, OpenFresh } from './contract.ts'
import { journalCommitCases } from './journal-commit-cases.ts'
import { journalExpectationCases } from './journal-expectation-cases.ts'
import { journalLifeCases } from './journal-life-cases.ts'
import { journalReadCases } from './journal-read-cases.ts'
import { journalTurnCases } from './journal-turn-cases.ts'

/** The cases that every journal must pass. */
export const journalContract: readonly ContractCase<OpenFresh<Journal>>[] = [
  ...journalCommitCases,
  ...journalExpectationCases,
  ...journalReadCases,
  ...journalLifeCases,
  ...journalTurnCases,
]
