/**
 * The protocol between a worker and the owner of the log. Every request gets an `answer` or a `refusal`. Notices get no
 * answer. Frames are handled in the order in which they were sent.
 */
import type { Moment, StoreState } from '@varve/core'
import type { PlainError } from './plain-error.ts'

export const request = {
  /**
   * Reads a row: snapshot, then key. Snapshot 0 is the latest committed state; any other begins at its first use. The answer
   * is a byte (`rowAnswer`), then the row.
   */
  get: 1,
  getMany: 2,
  /** Reads further rows of a cursor. */
  next: 3,
  events: 4,
  /** A command, then its inline rows. */
  submit: 5,
  /** Announces that a blob is being written. */
  mark: 6,
  /** Finds the position of a moment. */
  position: 7,
  /** Answered when no sweep is erasing bytes that a read at a position could find. */
  erased: 8,
  /** Heals stored bytes; answered with 1 if they were healed, and with 0 otherwise. */
  heal: 9,
  /** The receipt of the event at a position. 0: answered when receipts can be made. */
  receipt: 10,
} as const

export const notice = {
  openCursor: 20,
  seek: 21,
  closeCursor: 22,
  closeSnapshot: 23,
  fail: 24,
  /** The id of the frame is the id of the read. */
  beginRead: 25,
  endRead: 26,
  unmark: 27,
  /** Confirms the `drop` with the same id, and all before it. */
  dropped: 28,
} as const

export const reply = {
  answer: 40,
  refusal: 41,
  /** The state of the store. The first one of a session also starts that session. */
  state: 42,
  /** Hashes of rows, or nothing for all rows: the worker must not use these rows again, and confirms. */
  drop: 43,
} as const

/** Bits of the first byte of a row's answer. */
export const rowAnswer = {
  isThere: 1,
  /** The worker may keep the row until it is told to drop it. */
  mayKeep: 2,
} as const

/** A moment as JSON. */
export type SentMoment = Exclude<Moment, Date> | { readonly time: number }

export interface StateNews {
  readonly state: StoreState
  readonly failure?: PlainError
}
