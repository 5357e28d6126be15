/**
 * The rows that a decision was based on, as they were then: each with the position of the event that made it. Positions never
 * come again, so rows that still have theirs are the same rows, and the decision would be the same.
 */
import type { Seq } from '../ports/index.ts'

/** The row of a key. Keys are written with one character per byte, so that commands stay JSON. */
export interface RowRead {
  readonly key: string
  /** `null`: there was no such row. */
  readonly madeBy: Seq | null
  /** Of a bucket that has annotated versions: its row learns that without being made anew. */
  readonly annotated?: true
}

/** The first row of a range, or the last of it when reversed. */
export interface FirstRead {
  readonly gte: string
  readonly lt: string
  readonly reverse: boolean
  /** `null`: the range was empty. */
  readonly found: RowRead | null
}

/** The rows that an authorisation was based on. A commit is refused if one of them changed. */
export type ReadSet = readonly (RowRead | FirstRead)[]
