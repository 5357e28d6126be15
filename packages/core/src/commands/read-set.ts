/**
 * The rows that a decision was based on, each with the position of the event that last changed it. Positions are
 * unique, so a row with the same position is unchanged, and the decision would be the same.
 */
import type { Seq } from '../ports/index.ts'

/** A row by its key. The key has one character per byte, so that commands stay JSON. */
export interface RowRead {
  readonly key: string
  /** `null` if the row did not exist. */
  readonly madeBy: Seq | null
  /** For a bucket's row: whether it has annotated versions, which changes the row without changing its position. */
  readonly annotated?: true
}

/** The first row of a range; the last row if the range is reversed. */
export interface FirstRead {
  readonly gte: string
  readonly lt: string
  readonly reverse: boolean
  /** `null` if the range was empty. */
  readonly found: RowRead | null
}

/** The rows that an authorisation was based on. A commit is refused if one of them changed. */
export type ReadSet = readonly (RowRead | FirstRead)[]
