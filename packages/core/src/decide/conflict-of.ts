/** The refusal of a part of a restore, an undo or a merge, because what was planned has changed. */
import { StorageError } from '../base/errors.ts'
import type { Cause } from '../events/index.ts'

const codes = { restore: 'RestoreConflict', undo: 'UndoConflict', merge: 'MergeConflict' } as const

export const conflictOf = ({ kind }: Cause, message: string, details: Readonly<Record<string, string>>): StorageError =>
  new StorageError(codes[kind], message, { details })
