/** Blobs in memory: for tests and for stores that may be lost. They live as long as their medium. */
import { type BlobId, type BlobStore, type ByteRange, type ByteSource, StorageError } from '@varve/core'
import { assertRange, tooShort } from './blob-file-handle.ts'
import { assertBlobId } from './blob-paths.ts'
import { drainSource } from './drain-source.ts'
import { openWrites } from './open-writes.ts'

/** What outlives a closed store: give it to `memoryBlobs` again to reopen. */
export type MemoryBlobMedium = Map<BlobId, Uint8Array>

const chunkBytesMax = 1024 * 1024

export function memoryBlobs(medium: MemoryBlobMedium = new Map()): BlobStore {
  const writes = openWrites()
  return {
    async write(id, source, signal) {
      assertBlobId(id)
      return writes.run(signal, async (cancel) => {
        const chunks: Uint8Array[] = []
        await drainSource(source, cancel, (chunk) => {
          chunks.push(Uint8Array.from(chunk))
          return undefined
        })
        const bytes = Uint8Array.from(Buffer.concat(chunks))
        medium.set(id, bytes)
        return bytes.length
      })
    },
    async open(id) {
      writes.assertOpen()
      assertBlobId(id)
      const bytes = medium.get(id)
      if (bytes === undefined) throw new StorageError('BlobMissing', 'There is no such blob.')
      return {
        size: bytes.length,
        read(range) {
          assertRange(range)
          return readChunks(bytes, range)
        },
        close: async () => undefined,
      }
    },
    async delete(ids) {
      writes.assertOpen()
      ids.forEach(assertBlobId)
      for (const id of ids) medium.delete(id)
    },
    async *list() {
      writes.assertOpen()
      yield* medium.keys()
    },
    async discardUnfinished() {
      writes.assertOpen()
      return 0
    },
    close: () => writes.close(),
  }
}

async function* readChunks(bytes: Uint8Array, { start, end }: ByteRange): ByteSource {
  if (end > bytes.length) throw tooShort(bytes.length, end)
  for (let at = start; at < end; at += chunkBytesMax) yield bytes.slice(at, Math.min(at + chunkBytesMax, end))
}
