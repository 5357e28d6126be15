/** One committed state of a database that answers at once: what readers, snapshots and cursors are made over. */
import type { Row, RowRange, Seq, StoredEvent } from '@varve/core'

export interface RowState {
  get(key: Uint8Array): Uint8Array | undefined
  /** The first rows of the range, at most `count`, and fewer when they are large; none when there are none. */
  rows(range: RowRange, count: number): readonly Row[]
}

/** A state that stays as it is until it is let go. */
export interface HeldState extends RowState {
  /** Idempotent. */
  release(): void
}

/** Calls `state` for the current one each time. `release` is called once. */
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

/** The first of the events `from..to`, in order, a handful at a time; none when there are none. */
export type EventPage = (from: Seq, to: Seq) => readonly StoredEvent[]

/** A page of rows or events ends behind the one that makes it this large. */
export const pageBytes = 1024 * 1024
