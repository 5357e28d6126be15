/** The refusal of a part of a restore or an undo, because what was planned has changed. */
import { StorageError } from '../base/errors.ts'
import type { Cause } from '../events/index.ts'

const codes = { restore: 'RestoreConflict', undo: 'UndoConflict' } as const

export const conflictOf = ({ kind }: Cause, message: string, details: Readonly<Record<string, string>>): StorageError =>
  new StorageError(codes[kind], message, { details })
