import type { DatabaseFiles } from '../journal-kit/database-files.ts'

export const lmdbFile = 'log.mdb'

/** Pages are written beside those in use, so the file is whole at any moment. `-lock` lists the readers that are alive. */
export const lmdbFiles: DatabaseFiles = {
  isData: (name) => name === lmdbFile,
  isSealed: (name) => name === lmdbFile,
  lasting: async () => new Set(),
  isReplayed: () => false,
  firstReplayed: async () => undefined,
  damaged: async () => [],
  defuse: async () => false,
}
