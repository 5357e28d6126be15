/** Blobs in memory, for tests and for stores that may be lost. They exist as long as their medium. */
import { type BlobId, type BlobStore, StorageError } from '@varve/core'
import { assertOffset, tooShort } from './blob-file-handle.ts'
import { assertBlobId } from './blob-paths.ts'
import { drainSource } from './drain-source.ts'
import { openWrites } from './open-writes.ts'

/** The blobs themselves, which stay when a store is closed: pass them to `memoryBlobs` again to reopen the store. */
export type MemoryBlobMedium = Map<BlobId, Uint8Array>

/** Blobs in memory. Two stores on one `medium` see the same blobs, as after a restart. */
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
        async read(into, start) {
          assertOffset(start)
          const end = start + into.length
          if (end > bytes.length) throw tooShort(bytes.length, end)
          into.set(bytes.subarray(start, end))
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
