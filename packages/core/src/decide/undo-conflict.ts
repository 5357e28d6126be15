/** The refusal of a part of an undo. */
import { StorageError } from '../base/errors.ts'

export const undoConflict = (message: string, details: Readonly<Record<string, string>>): StorageError =>
  new StorageError('UndoConflict', message, { details })
