/** A store wholly in memory: for tests, and for what may be lost. */
import {
  memoryBlobs,
  memoryJournal,
  nodeCiphers,
  nodeHashing,
  randomIds,
  systemClock,
  systemTimer,
} from '@varve/adapters'
import { openEngine } from '@varve/core'
import { type MemoryStoreOptions, memoryStoreOptions, withDefaults } from './store-options.ts'
import { type VarveStore, varveStore } from './varve-store.ts'

/** Behaves as one from `openStore`, and is gone when it is closed. @throws StorageError `InvalidArgument` for options that make no sense */
export async function memoryStore(given: MemoryStoreOptions = {}): Promise<VarveStore> {
  const options = memoryStoreOptions(given)
  const { core, background } = withDefaults(options)
  const [hashing, journal, blobs] = [await nodeHashing(), await memoryJournal(), memoryBlobs()]
  const system = { clock: systemClock, ids: randomIds, hashing, timer: systemTimer, ciphers: nodeCiphers }
  const keyring = typeof options.keyring === 'object' && { keyring: options.keyring }
  const ports = { journal, blobs, ...system, ...keyring }
  return varveStore(await openEngine(ports, { ...core, observesTime: true }), {
    storeId: randomIds.next(),
    async openScratch() {
      const scratch = await memoryJournal()
      return { journal: scratch, remove: () => scratch.close() }
    },
    async closePorts() {
      await journal.close()
      await blobs.close()
    },
    ...background,
    sweepOrphans: false,
  })
}
