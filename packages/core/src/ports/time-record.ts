import type { Seq } from './journal.ts'

/** Time that passed unobserved by the wall clock, and is not believed yet. */
export interface TimeGap {
  /** Events up to this position were written before it; those behind it do not age by it. */
  readonly seq: Seq
  /** How long the store had run when it ended, and when the first of those ended that were put together here. */
  readonly ran: number
  readonly from: number
  readonly ms: number
}

/** A position at which the store did not know how much time had passed. */
export interface TimeDoubt {
  readonly seq: Seq
  /** How long the store had run when it was opened after that; absent until it is. */
  readonly ran?: number
}

/** Every event up to a position was written at or before a moment of believed time. */
export interface TimeMark {
  readonly seq: Seq
  readonly from: number
  readonly at: number
  /** For a log that no record came with: the time of its last event. Earlier events are older by their own times. */
  readonly log?: number
}

/** What was observed of time while the store was open, over all its openings. Milliseconds. */
export interface ObservedTime {
  /** The time that is believed: since the epoch. */
  readonly believed: number
  /** The same with at most thirty days for each gap, for locks. */
  readonly locks: number
  /** How long the store ran. */
  readonly ran: number
  /** The end of the log when the store was opened last. */
  readonly opened: Seq
  /** The wall clock contradicted itself: what it still has to make good may have passed since the event at this position. */
  readonly doubt?: TimeDoubt
  readonly gaps: readonly TimeGap[]
  readonly marks: readonly TimeMark[]
}

/** Where observed time is kept. What is lost of it only makes things wait longer. */
export interface TimeRecord {
  /** `undefined` when there is none, or it is damaged. */
  read(): Promise<ObservedTime | undefined>
  write(time: ObservedTime): Promise<void>
}
