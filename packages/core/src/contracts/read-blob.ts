/** Reads blobs as a careful client does. */
import type { BlobHandle, BlobId, BlobStore } from '../ports/index.ts'

/** The bytes of one range. */
export async function readRange(handle: BlobHandle, start: number, end: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(end - start)
  await handle.read(bytes, start)
  return bytes
}

export async function readWhole(blobs: BlobStore, id: BlobId): Promise<Uint8Array> {
  const handle = await blobs.open(id)
  try {
    return await readRange(handle, 0, handle.size)
  } finally {
    await handle.close()
  }
}

export async function listed(blobs: BlobStore): Promise<readonly BlobId[]> {
  const ids: BlobId[] = []
  for await (const id of blobs.list()) ids.push(id)
  return ids
}
