/** Finds the blobs that copies of a store leave out: nothing can read them or bring them back. */
import type { Content } from '../events/index.ts'
import type { BlobId, Hashing, RowReader } from '../ports/index.ts'
import { erasingTable, garbageTable, waitingTable } from './content-tables.ts'
import { unseenQueue } from './garbage.ts'
import { committedRows } from './row-reader.ts'
import type { GarbageRow, PartRow, WaitingRow } from './rows.ts'
import { partTable } from './tables.ts'

/** Blobs that no version ever had and that wait for their erasure, and those whose erasure has started. */
export async function unseenBlobs(reader: RowReader, hashing: Hashing): Promise<ReadonlySet<BlobId>> {
  const rows = committedRows(reader, hashing)
  const ids = new Set<BlobId>()
  const add = async (content: Content): Promise<void> => {
    if (content.kind === 'blob') ids.add(content.blob.id)
    if (content.kind !== 'parts') return
    for (const { row } of await rows.all<PartRow>(partTable.ofUpload(content.upload))) await add(row.content)
  }
  for (const { key } of await rows.all<WaitingRow>(waitingTable.ofQueue(unseenQueue))) {
    const garbage = await rows.get(garbageTable.key(waitingTable.place(key)))
    if (garbage !== undefined) await add(garbage.content)
  }
  for (const { row } of await rows.all<GarbageRow>(erasingTable.range)) await add(row.content)
  return ids
}
