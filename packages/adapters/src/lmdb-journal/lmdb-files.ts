import type { DatabaseFiles } from '../journal-kit/database-files.ts'

export const lmdbFile = 'log.mdb'

/** New pages never overwrite pages in use, so the file is always consistent. `-lock` lists the active readers. */
export const lmdbFiles: DatabaseFiles = {
  isData: (name) => name === lmdbFile,
  isSealed: (name) => name === lmdbFile,
  lasting: async () => new Set(),
  isReplayed: () => false,
  isAppended: () => false,
  firstReplayed: async () => undefined,
  damaged: async () => [],
  defuse: async () => false,
}
