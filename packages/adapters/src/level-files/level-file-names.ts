/** What LevelDB's directory holds: `LOCK` is never opened by us, and `LOG` is for people. */

/** Holds data. */
export const isJournalFile = (name: string): boolean => /^(CURRENT|MANIFEST-\d+|\d+\.(ldb|sst|log))$/.test(name)

/** Holds what was put in lately and is in no table yet. */
export const isLogFile = (name: string): boolean => /^\d+\.log$/.test(name)

/** Never changes once it is written. */
export const isTableFile = (name: string): boolean => /^\d+\.(ldb|sst)$/.test(name)
