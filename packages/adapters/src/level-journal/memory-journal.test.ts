import { journalContract } from '@varve/core/contracts'
import { describe, it } from 'vitest'
import { twoEngines } from '../two-engines.fixture.ts'
import { memoryJournal, memoryMedium } from './memory-journal.ts'

describe('the journal in memory', () => {
  const openFresh = async (medium = memoryMedium()) => ({
    instance: await memoryJournal(medium),
    reopen: () => memoryJournal(medium),
  })
  for (const { name, run } of journalContract) it(name, () => run(openFresh))
  for (const { name, run } of twoEngines) it(name, () => run(openFresh))
})
