import type { StorageError } from '../base/errors.ts'
import type { Seq } from './journal.ts'

/** A port: something that must have a commit before it is acknowledged, such as a replica. Commits are on disk and visible before. */
export interface Confirmation {
  /** Why no write is taken now. A write that is refused with it changes nothing. */
  readonly refusal: StorageError | undefined
  /**
   * Resolves when all events up to `seq` are confirmed, or need not be. `undefined`: they are. It rejects with the error that the
   * callers get, though what they have written stays.
   */
  confirmed(seq: Seq): Promise<void> | undefined
}
