import type { Hashing, RowRange, RowReader } from '../ports/index.ts'
import { walkRows } from '../reads/row-walk.ts'
import type { GarbageRow } from '../views/rows.ts'
import { type GarbagePlace, garbageTable } from '../views/content-tables.ts'

interface Garbage {
  readonly key: Uint8Array
  readonly place: GarbagePlace
  readonly row: GarbageRow
}

/** Garbage in the order in which it was freed. */
export async function* garbageInOrder(reader: RowReader, hashing: Hashing, range: RowRange): AsyncGenerator<Garbage> {
  const walk = walkRows<GarbageRow>(reader, hashing, range)
  try {
    for (let found = await walk.next(); found !== undefined; found = await walk.next()) {
      yield { ...found, place: garbageTable.place(found.key) }
    }
  } finally {
    await walk.close()
  }
}
