/** Places in the log. A position lies between two records: everything before it counts. */
import type { Seq } from '@varve/core'

/** SHA-256 over a record's header, cut to 16 bytes: the next record contains it. */
export const linkLength = 16

export interface LogPosition {
  readonly segment: number
  /** Where in the segment's file the next record begins. */
  readonly offset: number
  /** The last event before. */
  readonly head: Seq
  /** The link of the last record before. */
  readonly link: Uint8Array
}

/** Bytes that lie in the log. */
export interface Place {
  readonly segment: number
  readonly offset: number
  readonly length: number
}

export const firstSegment = 1
/** Before the first segment is made. */
export const beforeAll: LogPosition = { segment: 0, offset: 0, head: 0, link: new Uint8Array(linkLength) }
