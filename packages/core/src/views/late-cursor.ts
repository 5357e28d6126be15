import type { Row, RowCursor, RowRange, RowReader } from '../ports/index.ts'

/** A cursor of a reader that is not there yet. */
export function lateCursor(reader: Promise<RowReader>, range: RowRange): RowCursor {
  let cursor: RowCursor | undefined
  let place: Uint8Array | undefined
  return {
    async next(count): Promise<readonly Row[]> {
      if (cursor === undefined) {
        cursor = (await reader).cursor(range)
        if (place !== undefined) cursor.seek(place)
      }
      return cursor.next(count)
    },
    seek(key) {
      if (cursor === undefined) place = key
      else cursor.seek(key)
    },
    async close() {
      await cursor?.close()
    },
  }
}
