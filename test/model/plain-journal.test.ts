import { journalContract } from '@varve/core/contracts'
import { describe, it } from 'vitest'
import { plainJournal, plainMedium } from './plain-journal.ts'

describe('the plain journal', () => {
  const openFresh = async (medium = plainMedium()) => ({
    instance: plainJournal(medium),
    reopen: async () => plainJournal(medium),
  })
  for (const { name, run } of journalContract) it(name, () => run(openFresh))
})
