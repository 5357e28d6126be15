import type { Seq } from '../ports/index.ts'
import type { ObjectVersionRow } from '../views/version-row.ts'

/**
 * Whether the bytes of a version may have been erased without damage: in a state of the past, and in a fork, which may
 * have begun as a state of the past.
 */
export const isOfPast = ({ until, isBorrowed }: ObjectVersionRow, at: Seq | undefined): boolean =>
  at !== undefined || until !== undefined || isBorrowed
