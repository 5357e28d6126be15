import type { BlobId, Hashing, RowReader } from '../ports/index.ts'
import { blobTable } from '../views/content-tables.ts'
import { committedRows } from '../views/row-reader.ts'

/** Those of the blobs that no commit names. @throws StorageError `RowCorrupt` */
export async function unnamedBlobs(
  reader: RowReader,
  hashing: Hashing,
  ids: readonly BlobId[],
): Promise<readonly BlobId[]> {
  const rows = committedRows(reader, hashing)
  const named = await Promise.all(ids.map(async (id) => rows.get(blobTable.key(id))))
  return ids.filter((_, i) => named[i] === undefined)
}
