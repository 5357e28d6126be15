import type { BlobId, BlobStore } from '../ports/index.ts'

/** Deletes blobs that no event names, and what the files of the store have of them. */
export const discardBlobs = (blobs: Pick<BlobStore, 'delete' | 'discard'>, ids: readonly BlobId[]): Promise<void> =>
  blobs.discard?.(ids) ?? blobs.delete(ids)
