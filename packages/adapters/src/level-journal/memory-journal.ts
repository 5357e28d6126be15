/** A journal in memory, for tests and for stores that may be lost. It exists as long as its medium. */
import type { Journal } from '@varve/core'
import type { LevelDatabase } from './level-database.ts'
import { levelJournal, type LevelJournalOptions } from './level-journal.ts'
import { memoryDatabase, type MemoryMedium } from './memory-database.ts'

/** The rows themselves, which stay when a journal is closed: pass them to `memoryJournal` again to reopen it. */
export const memoryMedium = (): MemoryMedium => memoryDatabase()

/** A journal in memory. A second one on the same `medium` sees what the first one wrote. */
export const memoryJournal = (
  medium: LevelDatabase = memoryMedium(),
  options: Pick<LevelJournalOptions, 'exclusive'> = {},
): Promise<Journal> => levelJournal(medium, { ...options, sync: false })
