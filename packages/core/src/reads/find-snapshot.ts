import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import { committedRows } from '../views/row-reader.ts'
import { snapshotTable } from '../views/tables.ts'

/** The position of the snapshot with this name; `undefined` if there is none. */
export async function findSnapshot(reader: RowReader, hashing: Hashing, name: string): Promise<Seq | undefined> {
  return (await committedRows(reader, hashing).get(snapshotTable.key(name)))?.position
}
