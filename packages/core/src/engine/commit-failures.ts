/** Failures of commits: which of them end the writer. */
import { isStorageError } from '../base/errors.ts'
import type { Journal } from '../ports/index.ts'

export const unknownOutcome = 'A write failed and its outcome is unknown. The store takes no more writes.'

/** Whether nothing was decided and nothing is written: another engine computes the views, or no connection is free. */
export function isPassing(error: unknown, { recovers = false }: Pick<Journal, 'recovers'>): boolean {
  return isStorageError(error, 'LeaseHeld', 'LeaseLost') || (recovers && isStorageError(error, 'TooManyOpenFiles'))
}
