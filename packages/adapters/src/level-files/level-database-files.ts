import type { DatabaseFiles } from '../journal-kit/database-files.ts'
import { damagedTables, tablesInForce } from './damaged-tables.ts'
import { defuseTables } from './defuse-tables.ts'
import { firstReplayed } from './first-replayed.ts'
import { isJournalFile, isLogFile } from './level-file-names.ts'

export const levelDatabaseFiles: DatabaseFiles = {
  isData: isJournalFile,
  isSealed: isJournalFile,
  lasting: tablesInForce,
  isReplayed: isLogFile,
  isAppended: isLogFile,
  firstReplayed,
  damaged: damagedTables,
  defuse: defuseTables,
}
