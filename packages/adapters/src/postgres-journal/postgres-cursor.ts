/** A cursor over the rows of one state, a page at a time. It remembers only the rest of its range. */
import type { Row, RowCursor, RowRange } from '@varve/core'
import { greatest, least, successor } from '../journal-kit/key-order.ts'
import type { JournalGate } from '../journal-kit/journal-gate.ts'

/** What a cursor reads: a state, and what releases it. */
export interface CursorState {
  rows(range: RowRange, count: number): Promise<readonly Row[]>
  release(): void
}

export function postgresCursor(
  gate: JournalGate,
  { gte, lt, reverse = false, groups }: RowRange,
  state: CursorState,
): RowCursor {
  let left = { gte, lt, reverse }
  /** Most rows may be members of groups that are not needed: see `groups` of a range. */
  let isBehindJump = false
  let isAtEnd = false
  let closed = false

  async function next(count: number): Promise<readonly Row[]> {
    if (closed) throw new TypeError('The cursor is closed.')
    if (isAtEnd || count < 1) return []
    const range = isBehindJump && groups !== undefined ? { groups, ...left } : left
    isBehindJump = false
    const rows = Buffer.compare(left.gte, left.lt) < 0 ? await state.rows(range, count) : []
    const last = rows.at(-1)?.[0]
    if (last !== undefined) left = reverse ? { ...left, lt: last } : { ...left, gte: successor(last) }
    else {
      // Jumps go forwards only, so nothing follows the end.
      isAtEnd = true
      state.release()
    }
    return rows
  }

  return {
    next: (count) => gate.read(() => next(count)),
    seek(key) {
      isBehindJump = true
      if (reverse) left = { gte, lt: least(left.lt, successor(key)), reverse }
      else left = { gte: greatest(left.gte, key), lt, reverse }
    },
    async close() {
      closed = true
      state.release()
    },
  }
}
