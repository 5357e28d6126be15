import type { BlobHandle, ByteSource } from '@varve/core'

const chunkBytesMax = 1024 * 1024

/** The bytes of a blob up to the first that cannot be read. */
export async function* readableBytes(handle: BlobHandle): ByteSource {
  const buffer = Buffer.alloc(Math.min(handle.size, chunkBytesMax))
  for (let at = 0; at < handle.size; at += buffer.length) {
    const chunk = buffer.subarray(0, handle.size - at)
    try {
      await handle.read(chunk, at)
    } catch {
      // The readable bytes are kept, even if they are too few.
      return
    }
    yield chunk
  }
}
