import type { BlobId, Journal } from '../ports/index.ts'
import { blobTable } from '../views/content-tables.ts'

/** How many of these blobs versions need. */
export async function neededOf(journal: Pick<Journal, 'getMany'>, ids: readonly BlobId[]): Promise<number> {
  const rows = await journal.getMany(ids.map((id) => blobTable.key(id).bytes))
  return rows.filter((row) => row !== undefined).length
}
