/** A cursor over rows on one database iterator, which keeps the state it was opened on. */
import type { RowCursor, RowRange } from '@varve/core'
import type { JournalGate } from '../journal-kit/journal-gate.ts'
import { rowKey, rowKeyOf } from '../journal-kit/key-spaces.ts'
import type { LevelDatabase, LevelSnapshot } from './level-database.ts'
import { TimedWalk } from './timed-walk.ts'

/** LevelDB's own 16 KiB would cut a page of 1000 rows into twenty. */
export const highWaterMarkBytes = 1024 * 1024

const exhausted: RowCursor = {
  next: async () => [],
  seek: () => undefined,
  close: async () => undefined,
}

/** @throws StorageError `JournalClosed` */
export function levelCursor(
  db: LevelDatabase,
  gate: JournalGate,
  range: RowRange,
  snapshot?: LevelSnapshot,
): RowCursor {
  gate.assertOpen()
  if (compareBytes(range.gte, range.lt) >= 0) return exhausted
  const reverse = range.reverse === true
  const first = rowKey(range.gte)
  const end = rowKey(range.lt)
  // A seek outside of its bounds ends an iterator; in an empty LevelDB it ends the process. So seeks stay within the
  // bounds: a seek past the last possible row ends the walk. Walking backwards, the bounds include the end (and skip
  // its row), so that a seek back to it stays within the bounds.
  const iterator = db.iterator({
    gte: first,
    ...(reverse ? { lte: end } : { lt: end }),
    reverse,
    snapshot,
    highWaterMarkBytes,
  })
  const walk = new TimedWalk(db, iterator, { from: reverse ? end : first, reverse })
  const nextv = (count: number) => gate.read(() => walk.nextv(count))
  let over = false
  return {
    async next(count) {
      gate.assertOpen()
      if (over) return []
      let entries = await nextv(count)
      if (reverse && entries[0] !== undefined && compareBytes(entries[0][0], end) === 0) {
        entries = entries.length > 1 ? entries.slice(1) : await nextv(count)
      }
      // The database keeps none of these arrays, and new ones would cost as much again.
      for (const entry of entries) entry[0] = rowKeyOf(entry[0])
      return entries
    },
    seek(key) {
      const target = rowKey(key)
      over = reverse ? compareBytes(target, first) < 0 : compareBytes(target, end) >= 0
      if (over) return
      if (reverse) walk.seek(compareBytes(target, end) > 0 ? end : target)
      else walk.seek(compareBytes(target, first) < 0 ? first : target)
    },
    close: () => iterator.close(),
  }
}

const compareBytes = (a: Uint8Array, b: Uint8Array): number => Buffer.compare(a, b)
