/**
 * The protocol between a worker and the owner of the log. Every request is answered, with `answer` or `refusal`. Notices have
 * no answer. Frames are handled in the order in which they were sent.
 */
import type { StoreState } from '@varve/core'
import type { PlainError } from './plain-error.ts'

export const request = {
  /** A row: snapshot, then the key. Snapshot 0 is whatever is committed; any other begins when it is first named. */
  get: 1,
  getMany: 2,
  /** Further rows of a cursor. */
  next: 3,
  events: 4,
  /** A command, then the rows that ride along. */
  submit: 5,
  /** A blob is being written. */
  mark: 6,
  /** The position that a number or a time means: which of the two, then its value. */
  position: 7,
  /** Answered when no sweep erases what a read at a position could find. */
  erased: 8,
} as const

export const notice = {
  openCursor: 20,
  seek: 21,
  closeCursor: 22,
  closeSnapshot: 23,
  fail: 24,
  /** The id is the read's. */
  beginRead: 25,
  endRead: 26,
  unmark: 27,
} as const

export const reply = {
  answer: 40,
  refusal: 41,
  /** The state of the store; of a new session, that it begins. */
  state: 42,
} as const

export interface StateNews {
  readonly state: StoreState
  readonly failure?: PlainError
}
