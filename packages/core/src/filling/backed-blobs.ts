/** A blob store that is being filled: blobs that it does not have yet are read where they come from. */
import { isStorageError } from '../base/errors.ts'
import type { BlobHandle, BlobId, BlobStore } from '../ports/index.ts'

export interface Backing {
  readonly blobs: BlobStore
  /** Where missing blobs are. What it throws other than `BlobMissing` is thrown to the reader. */
  readonly source: Pick<BlobStore, 'open'>
  /** Called with each blob that is read from there. */
  onRead?(id: BlobId): void
}

/** Writes, deletes and lists the blobs of `blobs`. Closing it leaves the source open. */
export function backedBlobs({ blobs, source, onRead }: Backing): BlobStore {
  const { replace } = blobs
  return {
    write: (id, bytes, signal) => blobs.write(id, bytes, signal),
    ...(replace && { replace: (id, bytes, signal) => replace.call(blobs, id, bytes, signal) }),
    open: (id) => openEither(blobs, source, id, onRead),
    delete: (ids) => blobs.delete(ids),
    list: () => blobs.list(),
    discardUnfinished: () => blobs.discardUnfinished(),
    close: () => blobs.close(),
  }
}

async function openEither(
  blobs: Pick<BlobStore, 'open'>,
  source: Pick<BlobStore, 'open'>,
  id: BlobId,
  onRead: Backing['onRead'],
): Promise<BlobHandle> {
  try {
    return await blobs.open(id)
  } catch (error) {
    if (!isStorageError(error, 'BlobMissing')) throw error
  }
  const handle = await source.open(id)
  onRead?.(id)
  return handle
}
