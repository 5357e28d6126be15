/** Deletes the bytes of an erasure so that no file of the store has them any more. */
import type { BlobId, BlobStore, Journal } from '../ports/index.ts'

interface PurgedPorts {
  readonly blobs: Pick<BlobStore, 'delete' | 'purge'>
  readonly journal: Pick<Journal, 'purge'>
}

/** False if reads in progress keep some of them in the files. Both parts are purged as far as they can be. */
export async function purgeBytes(
  { blobs, journal }: PurgedPorts,
  ids: readonly BlobId[],
  keys: readonly Uint8Array[],
): Promise<boolean> {
  let arePurged = true
  if (ids.length > 0) {
    if (blobs.purge === undefined) await blobs.delete(ids)
    else arePurged = await blobs.purge(ids)
  }
  const areRowsPurged = keys.length === 0 || ((await journal.purge?.(keys)) ?? true)
  return arePurged && areRowsPurged
}
