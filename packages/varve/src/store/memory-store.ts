/** A store that is only in memory: for tests, and for data that may be lost. */
import {
  memoryBlobs,
  memoryJournal,
  nodeCiphers,
  nodeHashing,
  randomIds,
  systemClock,
  systemTimer,
} from '@varve/adapters'
import { openEngine, type Store } from '@varve/core'
import { warnOfListener } from '../jobs/warn-of-listener.ts'
import { backgroundOf } from './background.ts'
import { type MemoryStoreOptions, memoryStoreOptions, withDefaults } from './store-options.ts'

/**
 * Behaves like a store from `openStore`, but its data is lost when it is closed. @throws StorageError `InvalidArgument`
 * for invalid options
 */
export async function memoryStore(given: MemoryStoreOptions = {}): Promise<Store> {
  const options = memoryStoreOptions(given)
  const { core, background } = withDefaults(options)
  const [hashing, journal, blobs] = [await nodeHashing(), await memoryJournal(), memoryBlobs()]
  const system = { clock: systemClock, ids: randomIds, hashing, timer: systemTimer, ciphers: nodeCiphers }
  const keyring = typeof options.keyring === 'object' && { keyring: options.keyring }
  async function openScratch() {
    const scratch = await memoryJournal()
    return { journal: scratch, remove: () => scratch.close() }
  }
  const { observer } = options
  const ports = { journal, blobs, openScratch, ...system, ...keyring, ...(observer && { observer }) }
  return openEngine(
    ports,
    { ...core, observesTime: true },
    {
      warn: warnOfListener,
      background: backgroundOf(background),
      async closePorts() {
        await journal.close()
        await blobs.close()
      },
    },
  )
}
