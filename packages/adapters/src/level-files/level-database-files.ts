import type { DatabaseFiles } from '../layouts/database-files.ts'
import { damagedTables, tablesInForce } from './damaged-tables.ts'
import { defuseTables } from './defuse-tables.ts'
import { isJournalFile } from './level-file-names.ts'

export const levelDatabaseFiles: DatabaseFiles = {
  isData: isJournalFile,
  isSealed: isJournalFile,
  lasting: tablesInForce,
  isReplayed: (name) => /^\d+\.log$/.test(name),
  damaged: damagedTables,
  defuse: defuseTables,
}
