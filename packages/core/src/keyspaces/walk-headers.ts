/** Finds the keyspaces of a journal, with one read for each of them. */
import type { RowReader } from '../ports/index.ts'
import { keyspaceRange, placeOf, wholeRange } from './keyspace-keys.ts'

export interface FoundKeyspace {
  readonly name: string
  /** The stored header, unchecked. `undefined`: there are rows, but no header. */
  readonly frame: Uint8Array | undefined
}

/** In the order of their names. Keys that no keyspace can have are skipped. */
export async function* walkHeaders(rows: RowReader): AsyncGenerator<FoundKeyspace> {
  const cursor = rows.cursor(keyspaceRange)
  try {
    for (;;) {
      const [row] = await cursor.next(1)
      if (row === undefined) return
      const [key, frame] = row
      const place = placeOf(key)
      if (place === undefined) continue
      yield { name: place.name, frame: place.epoch === 0 ? frame : undefined }
      cursor.seek(wholeRange(place.name).lt)
    }
  } finally {
    await cursor.close()
  }
}
