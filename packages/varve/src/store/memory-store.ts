/** A store that is only in memory: for tests, and for data that may be lost. */
import type { Store } from '@varve/core'
import { type MemoryStoreOptions, memoryStoreOptions } from './store-options.ts'

/**
 * Behaves like a store from `openStore`, but its data is lost when it is closed. @throws StorageError `InvalidArgument`
 * for invalid options
 */
export async function memoryStore(given: MemoryStoreOptions = {}): Promise<Store> {
  const options = memoryStoreOptions(given)
  const { emptyContent, openContent } = await import('./memory-content.ts')
  return openContent(emptyContent(), options)
}
