/** A cursor over the rows of one state, a page at a time. It remembers only the rest of its range. */
import type { RowCursor, RowRange } from '@varve/core'
import { greatest, least, successor } from '../journal-kit/key-order.ts'
import type { ReadGate } from './paused-reads.ts'
import type { HeldState } from './row-state.ts'

/** Closing the cursor releases the state. */
export function stateCursor(gate: ReadGate, { gte, lt, reverse = false }: RowRange, state: HeldState): RowCursor {
  let left = { gte, lt, reverse }
  let closed = false
  const isOver = (): boolean => Buffer.compare(left.gte, left.lt) >= 0
  return {
    next: (count) =>
      gate.read(() => {
        if (closed) throw new TypeError('The cursor is closed.')
        if (isOver()) return []
        const rows = state.rows(left, count)
        const last = rows.at(-1)?.[0]
        if (last === undefined) left = { ...left, gte: left.lt }
        else left = reverse ? { ...left, lt: last } : { ...left, gte: successor(last) }
        return rows
      }),
    seek(key) {
      if (reverse) left = { gte, lt: least(lt, successor(key)), reverse }
      else left = { gte: greatest(gte, key), lt, reverse }
    },
    async close() {
      closed = true
      state.release()
    },
  }
}
