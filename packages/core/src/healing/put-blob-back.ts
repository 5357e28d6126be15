import type { BlobRef } from '../events/index.ts'
import type { BlobStore, ByteSource } from '../ports/index.ts'

/**
 * Writes a blob again, in the place of what is stored under its id. `copied` begins to read the copy from its start.
 * @throws what the copy and the blob store throw: then what was stored is as it was, unless the blob store cannot replace a blob
 */
export async function putBlobBack(
  blobs: BlobStore,
  { id }: BlobRef,
  copied: () => ByteSource,
  signal: AbortSignal,
): Promise<void> {
  if (blobs.replace !== undefined) {
    await blobs.replace(id, copied, signal)
    return
  }
  // What is damaged goes only after the copy has shown that it is whole.
  for await (const _ of copied()) signal.throwIfAborted()
  await blobs.delete([id])
  await blobs.write(id, copied(), signal)
}
