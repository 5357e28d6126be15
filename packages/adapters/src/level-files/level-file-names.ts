/** The files of LevelDB's directory. Varve never opens `LOCK`; `LOG` is for people. */

/** The file holds data. */
export const isJournalFile = (name: string): boolean => /^(CURRENT|MANIFEST-\d+|\d+\.(ldb|sst|log))$/.test(name)

/** The file holds recent changes that are in no table yet. */
export const isLogFile = (name: string): boolean => /^\d+\.log$/.test(name)

/** The file never changes once it is written. */
export const isTableFile = (name: string): boolean => /^\d+\.(ldb|sst)$/.test(name)
