import { isStorageError } from '../base/errors.ts'
import type { Seq } from '../ports/index.ts'

/** Another engine was first, and nothing was written. */
export interface Conflict {
  /** The end of the log, if it is known. */
  readonly seen: Seq | undefined
}

/** @throws the error, if it is no conflict */
export function conflictOf(error: unknown): Conflict {
  if (!isStorageError(error, 'JournalConflict')) throw error
  const { head } = error.details
  return { seen: typeof head === 'number' ? head : undefined }
}
