/** Reading blobs the way a careful client does. */
import { concatBytes } from '../bytes/bytes.ts'
import type { BlobHandle, BlobId, BlobStore } from '../ports/index.ts'
import { assert } from './assert.ts'

const chunkBytesMax = 1024 * 1024

/** The bytes of one range; fails when a chunk is larger than promised. */
export async function readRange(handle: BlobHandle, start: number, end: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of handle.read({ start, end })) {
    assert(chunk.length <= chunkBytesMax, `chunks of at most 1 MiB, got ${chunk.length}`)
    chunks.push(chunk)
  }
  return concatBytes(chunks)
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
