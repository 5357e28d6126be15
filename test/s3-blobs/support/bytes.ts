/** Bytes and ids for the tests of blobs. */
import type { BlobId, BlobStore } from '@varve/core'

/** Bytes that depend on their position and on `seed`. */
export function bytesOf(size: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(size)
  const words = new Uint32Array(bytes.buffer, 0, Math.floor(size / 4))
  let state = (seed + 1) * 0x9e3779b1
  for (let i = 0; i < words.length; i++) {
    state = Math.imul(state ^ (state >>> 15), 0x85ebca6b) + i
    words[i] = state
  }
  return bytes
}

export const id = (n: number): BlobId => n.toString(16).padStart(32, '0')

export async function readAll(blobs: BlobStore, blob: BlobId): Promise<Uint8Array> {
  const handle = await blobs.open(blob)
  try {
    const bytes = new Uint8Array(handle.size)
    await handle.read(bytes, 0)
    return bytes
  } finally {
    await handle.close()
  }
}

export async function listed(blobs: BlobStore): Promise<readonly BlobId[]> {
  const ids: BlobId[] = []
  for await (const blob of blobs.list()) ids.push(blob)
  return ids.sort()
}
