/** Walks over rows of one table: a cursor with a little read-ahead, which a jump throws away. */
import { compareBytes } from '../bytes/bytes.ts'
import type { Hashing, Row, RowRange, RowReader } from '../ports/index.ts'
import { decodeRow } from '../views/row-codec.ts'
import type { KeyedRow } from '../views/row-reader.ts'

/** What listings are made of. `skipTo` jumps forward; everything before the place is never seen. */
export interface Walk<T> {
  next(): Promise<T | undefined>
  skipTo(place: Uint8Array): void
  close(): Promise<void>
}

const batchMin = 16
const batchMax = 1024

export function walkRows<R>(reader: RowReader, hashing: Hashing, range: RowRange): Walk<KeyedRow<R>> {
  const cursor = reader.cursor(range)
  let buffer: readonly Row[] = []
  let at = 0
  let batch = batchMin
  return {
    async next() {
      if (at === buffer.length) {
        buffer = await cursor.next(batch)
        at = 0
        batch = Math.min(batch * 4, batchMax)
      }
      const row = buffer[at++]
      if (row === undefined) {
        at = buffer.length
        return undefined
      }
      return { key: row[0], row: decodeRow<R>(hashing, row[0], row[1]) }
    },
    skipTo(place) {
      while (at < buffer.length && compareBytes((buffer[at] as Row)[0], place) < 0) at++
      if (at < buffer.length) return
      cursor.seek(place)
      buffer = []
      at = 0
      batch = batchMin
    },
    close: () => cursor.close(),
  }
}
