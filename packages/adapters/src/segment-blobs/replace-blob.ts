/** Writes a damaged blob again. It becomes a file of its own, also if it was in a segment. */
import { type BlobId, type ByteSource, isStorageError } from '@varve/core'
import { readableBytes } from './readable-bytes.ts'
import type { Tiers } from './take-blob.ts'

/** Resolves with the number of bytes when they are durable. What was stored goes to the folder `quarantine`. */
export async function replaceBlob(
  tiers: Tiers,
  id: BlobId,
  source: () => ByteSource,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { segments, files } = tiers
  if (files.replace === undefined) throw new TypeError('Files of blobs can be replaced.')
  if (!segments.has(id)) return files.replace(id, source, signal)
  const isReadable = await becomeFile(tiers, id)
  const size = await files.replace(id, source, signal)
  // A segment whose file is gone has nothing that could be deleted, and reads must not look for it there.
  if (isReadable) await segments.delete([id])
  else segments.forget(id)
  return size
}

/** As a file, the damaged bytes can be set aside. Until the new bytes are there, reads still find them in the segment. */
async function becomeFile({ segments, files }: Tiers, id: BlobId): Promise<boolean> {
  try {
    const handle = await segments.open(id)
    if (handle === undefined) return true
    try {
      await files.write(id, readableBytes(handle))
      return true
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (isStorageError(error, 'BlobMissing')) return false
    throw error
  }
}
