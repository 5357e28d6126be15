/** Tells whether damaged bytes are still needed, so that healing brings nothing back that was erased. */
import type { DamagedBytes } from '../content/damaged-bytes.ts'
import type { Content } from '../events/index.ts'
import type { BlobId, Hashing, RowReader } from '../ports/index.ts'
import { walkRows } from './row-walk.ts'
import { blobTable, erasingTable } from '../views/content-tables.ts'
import { committedRows } from '../views/row-reader.ts'
import type { GarbageRow, PartRow } from '../views/rows.ts'
import { partTable } from '../views/tables.ts'

/** Call it while no erasure can begin. `isMissing`: they are not there at all. @throws StorageError `RowCorrupt` */
export async function isNeeded(
  rows: RowReader,
  hashing: Hashing,
  { what, blob, mayBeErased = false }: DamagedBytes,
  isMissing: boolean,
): Promise<boolean> {
  // Nothing tells a row that was erased from one that was lost.
  if (mayBeErased && isMissing && (what === 'key' || blob.inline)) return false
  if (!blob.inline && (await committedRows(rows, hashing).get(blobTable.key(blob.id))) === undefined) return false
  return !(await isBeingErased(rows, hashing, blob.id))
}

/** Whether an erasure of the blob has begun and not ended. */
async function isBeingErased(rows: RowReader, hashing: Hashing, id: BlobId): Promise<boolean> {
  const walk = walkRows<GarbageRow>(rows, hashing, erasingTable.range)
  try {
    for (let found = await walk.next(); found !== undefined; found = await walk.next()) {
      if (await names(rows, hashing, found.row.content, id)) return true
    }
    return false
  } finally {
    await walk.close()
  }
}

async function names(rows: RowReader, hashing: Hashing, content: Content, id: BlobId): Promise<boolean> {
  if (content.kind !== 'parts') return content.kind === 'blob' && content.blob.id === id
  const parts = await committedRows(rows, hashing).all<PartRow>(partTable.ofUpload(content.upload))
  return parts.some(({ row }) => row.content.kind === 'blob' && row.content.blob.id === id)
}
