/** A store that is only in memory: for tests, and for data that may be lost. */
import { memoryBlobs, memoryJournal, memoryMedium } from '@varve/adapters'
import type { Store } from '@varve/core'
import { openOnParts } from './open-on-parts.ts'
import { type MemoryStoreOptions, memoryStoreOptions } from './store-options.ts'

/**
 * Behaves like a store from `openStore`, but its data is lost when it is closed. @throws StorageError `InvalidArgument`
 * for invalid options
 */
export async function memoryStore(given: MemoryStoreOptions = {}): Promise<Store> {
  const options = memoryStoreOptions(given)
  const [journal, blobs] = [await memoryJournal(memoryMedium(), { exclusive: true }), memoryBlobs()]
  const open = { ...options, hashingThreads: 0 }
  return openOnParts({ journal, blobs }, open, {
    budgetBytes: 64 * 1024 ** 2,
    async closeParts() {
      await journal.close()
      await blobs.close()
    },
  })
}
