/** What a store can be made of. */
export type { LevelDatabase } from './level-journal/level-database.ts'
export { type LevelJournalOptions, levelJournal } from './level-journal/level-journal.ts'
export { memoryJournal, memoryMedium } from './level-journal/memory-journal.ts'
export { type LevelDirectoryOptions, openLevelDirectory } from './level-journal/open-level-directory.ts'
