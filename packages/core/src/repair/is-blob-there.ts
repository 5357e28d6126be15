import { isStorageError } from '../base/errors.ts'
import type { BlobRef } from '../events/index.ts'
import type { BlobStore } from '../ports/index.ts'

/** Whether the blob was copied: a blob gets its name only when it is complete. */
export async function isBlobThere(blobs: Pick<BlobStore, 'open'>, { id, size }: BlobRef): Promise<boolean> {
  try {
    const handle = await blobs.open(id)
    await handle.close()
    return handle.size === size
  } catch (error) {
    if (isStorageError(error, 'BlobMissing')) return false
    throw error
  }
}
