import type { Seq } from './journal.ts'

/** Time that only the wall clock shows as passed, and that is not believed yet. */
export interface TimeGap {
  /** Events up to this position were written before the gap. The gap does not count for the age of later events. */
  readonly seq: Seq
  /** How long the store had run when the gap ended. `from`: the same for the earliest of several merged gaps. */
  readonly ran: number
  readonly from: number
  readonly ms: number
}

/** A position after which the store did not know how much time passed. */
export interface TimeDoubt {
  readonly seq: Seq
  /** How long the store had run when it was next opened; absent until then. */
  readonly ran?: number
}

/** States that every event up to a position was written at or before a moment of believed time. */
export interface TimeMark {
  readonly seq: Seq
  readonly from: number
  readonly at: number
  /** For a log without a time record: the time of its last event. Earlier events are older by their own times. */
  readonly log?: number
}

/** The time that the store observed while it was open, summed over all openings. Milliseconds. */
export interface ObservedTime {
  /** The believed time since the epoch. */
  readonly believed: number
  /** The believed time for locks, which counts at most thirty days of each gap. */
  readonly locks: number
  /** How long the store ran in total. */
  readonly ran: number
  /** The end of the log when the store was last opened. */
  readonly opened: Seq
  /** Set if the wall clock contradicted itself: time it still has to catch up may have passed after this position. */
  readonly doubt?: TimeDoubt
  readonly gaps: readonly TimeGap[]
  readonly marks: readonly TimeMark[]
}

/** Stores observed time. If it is lost, erasure and expiration only happen later. */
export interface TimeRecord {
  /** `undefined` if there is none, or if it is damaged. */
  read(): Promise<ObservedTime | undefined>
  write(time: ObservedTime): Promise<void>
}
