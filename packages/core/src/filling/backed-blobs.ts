/** A blob store that is being filled: blobs that it does not have yet are read where they come from. */
import { isStorageError } from '../base/errors.ts'
import type { BlobHandle, BlobId, BlobStore } from '../ports/index.ts'

type Opening = Pick<BlobStore, 'open'>

export interface Backing<B extends Opening = BlobStore> {
  readonly blobs: B
  /** Where missing blobs are. What it throws other than `BlobMissing` is thrown to the reader. */
  readonly source: Opening
  /** Called with each blob that is read from there. */
  onRead?(id: BlobId): void
}

/** Writes, deletes and lists the blobs of `blobs`. Closing it leaves the source open. */
export function backedBlobs({ blobs, source, onRead }: Backing): BlobStore {
  const { discard, purge, replace } = blobs
  return {
    write: (id, bytes, signal) => blobs.write(id, bytes, signal),
    ...(replace && { replace: (id, bytes, signal) => replace.call(blobs, id, bytes, signal) }),
    open: (id) => openBacked({ blobs, source, ...(onRead && { onRead }) }, id),
    delete: (ids) => blobs.delete(ids),
    ...(purge && { purge: (ids) => purge.call(blobs, ids) }),
    ...(discard && { discard: (ids) => discard.call(blobs, ids) }),
    list: () => blobs.list(),
    discardUnfinished: () => blobs.discardUnfinished(),
    close: () => blobs.close(),
  }
}

/** Opens a blob where it is. @throws what `blobs` throws, other than `BlobMissing`; what the source throws */
export async function openBacked({ blobs, source, onRead }: Backing<Opening>, id: BlobId): Promise<BlobHandle> {
  try {
    return await blobs.open(id)
  } catch (error) {
    if (!isStorageError(error, 'BlobMissing')) throw error
  }
  const handle = await source.open(id)
  onRead?.(id)
  return handle
}
