import { isStorageError } from '../base/errors.ts'
import type { Hashing, RowReader } from '../ports/index.ts'
import { type Epochs, loadEpochs } from '../views/epochs.ts'
import { committedRows } from '../views/row-reader.ts'

/** The epochs of a log whose rows may be damaged: none, if their row is. */
export async function readableEpochs(rows: RowReader, hashing: Hashing): Promise<Epochs> {
  try {
    return await loadEpochs(committedRows(rows, hashing))
  } catch (error) {
    if (isStorageError(error, 'RowCorrupt', 'JournalFailed')) return []
    throw error
  }
}
