import type { BlobId, Journal } from '../ports/index.ts'
import { blobTable } from './content-tables.ts'

/** Which of these blobs versions need. */
export async function neededOf(journal: Pick<Journal, 'getMany'>, ids: readonly BlobId[]): Promise<readonly BlobId[]> {
  const rows = await journal.getMany(ids.map((id) => blobTable.key(id).bytes))
  return ids.filter((_, i) => rows[i] !== undefined)
}
