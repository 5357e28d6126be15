/** One committed state of a database with synchronous reads: the base of readers, snapshots and cursors. */
import type { Row, RowRange, Seq, StoredEvent } from '@varve/core'

export interface RowState {
  get(key: Uint8Array): Uint8Array | undefined
  /** The first rows of the range: at most `count`, fewer when they are large, none when the range is empty. */
  rows(range: RowRange, count: number): readonly Row[]
}

/** A state that does not change until it is released. */
export interface HeldState extends RowState {
  /** Idempotent. */
  release(): void
}

/** Calls `state` for the current one each time. `release` is called only once. */
export function heldState(state: () => RowState, release: () => void): HeldState {
  let released = false
  return {
    get: (key) => state().get(key),
    rows: (range, count) => state().rows(range, count),
    release: () => {
      if (released) return
      released = true
      release()
    },
  }
}

/** The first of the events `from..to`, in order, at most a page; empty when there are none. */
export type EventPage = (from: Seq, to: Seq) => readonly StoredEvent[]

/** A page of rows or events ends after the one that reaches this size. */
export const pageBytes = 1024 * 1024
