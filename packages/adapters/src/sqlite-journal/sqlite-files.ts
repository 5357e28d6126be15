import type { DatabaseFiles } from '../journal-kit/database-files.ts'

export const sqliteFile = 'log.sqlite'
/** What was committed and is not in the database yet. */
const walFile = `${sqliteFile}-wal`

/** Closing leaves nothing in the write-ahead log, so it may be there or not; the index of it (`-shm`) is made from it. */
export const sqliteFiles: DatabaseFiles = {
  isData: (name) => name === sqliteFile || name === walFile,
  isSealed: (name) => name === sqliteFile,
  lasting: async () => new Set(),
  isReplayed: (name) => name === walFile,
  firstReplayed: async () => undefined,
  damaged: async () => [],
  defuse: async () => false,
}
