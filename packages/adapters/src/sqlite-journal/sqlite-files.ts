import type { DatabaseFiles } from '../journal-kit/database-files.ts'

export const sqliteFile = 'log.sqlite'
/** The commits that are not in the database yet. */
const walFile = `${sqliteFile}-wal`

/** Closing empties the write-ahead log, so the file may exist or not; its index (`-shm`) is rebuilt from it. */
export const sqliteFiles: DatabaseFiles = {
  isData: (name) => name === sqliteFile || name === walFile,
  isSealed: (name) => name === sqliteFile,
  lasting: async () => new Set(),
  isReplayed: (name) => name === walFile,
  // A checkpoint begins it again from its start.
  isAppended: () => false,
  firstReplayed: async () => undefined,
  damaged: async () => [],
  defuse: async () => false,
}
