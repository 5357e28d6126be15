/** Places in the log. A log position lies between two records and stands for all records before it. */
import type { Seq } from '@varve/core'

/** SHA-256 of a record's header, cut to 16 bytes. The next record contains it. */
export const linkLength = 16

export interface LogPosition {
  readonly segment: number
  /** The offset of the next record in the segment's file. */
  readonly offset: number
  /** The last event before the position. */
  readonly head: Seq
  /** The link of the last record before the position. */
  readonly link: Uint8Array
}

/** The place of a run of bytes in the log. */
export interface Place {
  readonly segment: number
  readonly offset: number
  readonly length: number
}

export const firstSegment = 1
/** The position before the first segment is created. */
export const beforeAll: LogPosition = { segment: 0, offset: 0, head: 0, link: new Uint8Array(linkLength) }
