/** A cursor over rows on one database iterator, which keeps the state it was opened on. */
import type { Row, RowCursor, RowRange } from '@varve/core'
import type { JournalGate } from '../journal-kit/journal-gate.ts'
import { rowKey, rowKeyOf } from '../journal-kit/key-spaces.ts'
import type { LevelDatabase, LevelIterator, LevelSnapshot } from './level-database.ts'
import { holdState } from './purge-rows.ts'
import { fillRowKeys, type LevelKey, textKeys } from './text-keys.ts'
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
  // Without a snapshot, the cursor over bytes that may have to follow would be on a later state.
  const isText = range.keysAreText === true && range.reverse !== true && snapshot !== undefined && hasText(db)
  return isText ? textCursor(db, gate, range, snapshot) : byteCursor(db, gate, range, snapshot)
}

/** Other databases convert keys by themselves, also those that are passed to them as bytes. */
const hasText = (db: LevelDatabase): boolean => db.keyEncoding(textKeys).format === textKeys.format

/** Reads keys as text until one is found whose text does not determine its bytes. */
function textCursor(db: LevelDatabase, gate: JournalGate, range: RowRange, snapshot: LevelSnapshot): RowCursor {
  const first = rowKey(range.gte)
  const end = rowKey(range.lt)
  const options = { gte: first, lt: end, snapshot, highWaterMarkBytes, keyEncoding: textKeys }
  const iterator: LevelIterator<LevelKey> = holdState(db, db.iterator(options))
  const walk = new TimedWalk(db, iterator, { from: first, reverse: false })
  let bytes: RowCursor | undefined
  /** The target of the last seek, and the last key since. */
  let target: Uint8Array | undefined
  let last: Uint8Array | undefined
  let over = false
  let closed = false

  async function nextBytes(count: number): Promise<readonly Row[]> {
    await iterator.close()
    if (closed) return []
    bytes = byteCursor(db, gate, range, snapshot)
    const place = last === undefined ? target : Uint8Array.of(...last, 0)
    if (place !== undefined) bytes.seek(place)
    return bytes.next(count)
  }

  return {
    async next(count) {
      if (bytes !== undefined) return bytes.next(count)
      gate.assertOpen()
      if (over) return []
      const entries = await gate.read(() => walk.nextv(count))
      if (!fillRowKeys(entries)) return nextBytes(count)
      last = entries.at(-1)?.[0] ?? last
      return entries
    },
    seek(key) {
      if (bytes !== undefined) return bytes.seek(key)
      target = key
      last = undefined
      const place = rowKey(key)
      over = compareBytes(place, end) >= 0
      if (!over) walk.seek(compareBytes(place, first) < 0 ? first : place)
    },
    async close() {
      closed = true
      await (bytes ?? iterator).close()
    },
  }
}

function byteCursor(db: LevelDatabase, gate: JournalGate, range: RowRange, snapshot?: LevelSnapshot): RowCursor {
  const reverse = range.reverse === true
  const first = rowKey(range.gte)
  const end = rowKey(range.lt)
  // A seek outside of its bounds ends an iterator; in an empty LevelDB it ends the process. So seeks stay within the
  // bounds: a seek past the last possible row ends the walk. Walking backwards, the bounds include the end (and skip
  // its row), so that a seek back to it stays within the bounds.
  const bounds = { gte: first, ...(reverse ? { lte: end } : { lt: end }) }
  const iterator = holdState(db, db.iterator({ ...bounds, reverse, snapshot, highWaterMarkBytes }))
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
