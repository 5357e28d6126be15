/** Deleting many objects, or everything in a bucket. */
import type { Cancelable } from './cancelable.ts'
import type { DeleteOutcome } from './writes.ts'

export interface RemovalOptions extends Cancelable {
  /** Called after each thousand, with the number of objects or versions that were deleted. */
  readonly onProgress?: (progress: { readonly done: number }) => void
  /**
   * Called for each object or version, in the order of the listing, with what became of it. A promise is awaited before the next page is
   * deleted, and its error ends the removal.
   */
  readonly onOutcome?: (outcome: DeleteOutcome) => void | Promise<void>
}

export interface EmptyBucketOptions extends RemovalOptions {
  /** Removes versions under GOVERNANCE retention too. COMPLIANCE retention and a legal hold still refuse. @default false */
  readonly bypassGovernance?: boolean
}

/** What was deleted. */
export interface Removal {
  /** The request id of all of its events: `undo` takes it. */
  readonly id: string
  /** The number of objects, or of versions and delete markers. */
  readonly deleted: number
  /** What could not be deleted, because it is locked: the first thousand. */
  readonly failed: readonly DeleteOutcome[]
  /** The number of all that could not be deleted. */
  readonly refused: number
}

/** What was removed from a bucket. */
export interface EmptiedBucket extends Removal {
  /** The number of uploads that were in progress. */
  readonly aborted: number
}
