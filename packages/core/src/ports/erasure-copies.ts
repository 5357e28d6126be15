import type { Seq } from './journal.ts'

/** A port: copies of a store that are written beside it, such as replicas. They lose what the store has erased a little later. */
export interface ErasureCopies {
  /** Waits for a limited time. Resolves to the names of the copies that may still have bytes which were erased up to this event. */
  behind(seq: Seq): Promise<readonly string[]>
}
