/** Entries of a ledger from results that a test chooses. */
import { measured, resultsOf } from '../results/results.fixture.ts'
import type { BenchResults } from '../results/results.ts'
import { type EntryFacts, entryOf, type LedgerEntry } from './ledger-entry.ts'

const usual = resultsOf([
  measured('layout', 'level+files', [90, 100, 110]),
  measured('floor', 'files', [200, 200, 200]),
])

export const entryFor = (
  varve: string,
  facts: Partial<EntryFacts> = {},
  results: Partial<BenchResults> = {},
): LedgerEntry => entryOf({ ...usual, ...results, varve }, { label: 'epyc', ...facts })
