/** A store on the disk, and workers' stores linked to it without a process between them. */
import { duplexPair } from 'node:stream'
import { nodeHashing } from '@varve/adapters'
import { openStore } from '../store/open-store.ts'
import type { OpenStoreOptions } from '../store/store-options.ts'
import type { Store } from '@varve/core'
import { OwnerLink } from './owner-link.ts'
import { type WorkerStore, workerStore } from './worker-store.ts'

export interface LinkedWorker extends WorkerStore {
  readonly link: OwnerLink
}

export interface LinkedStores {
  readonly dir: string
  /** The one that is open now. */
  readonly store: Store
  hire(): Promise<LinkedWorker>
  /** Closes the store and opens it again; all go on with that. */
  reopen(): Promise<void>
  close(): Promise<void>
}

/** Nothing is kept, so that a sweep erases what was removed. */
export async function linkedStores(dir: string, given: OpenStoreOptions = {}): Promise<LinkedStores> {
  const options = { retentionMs: 0, ...given }
  let store = await openStore(dir, options)
  let session = 1
  const workers: LinkedWorker[] = []
  return {
    dir,
    get store() {
      return store
    },
    async hire() {
      const [owners, own] = duplexPair()
      const link = new OwnerLink(owners, store.owner, session)
      const worker = await workerStore(own, { dir, region: 'eu', hashing: await nodeHashing(), openMax: 16 })
      const linked = { ...worker, link }
      workers.push(linked)
      return linked
    },
    async reopen() {
      await store.close()
      store = await openStore(dir, options)
      session++
      for (const { link } of workers) link.renew(store.owner, session)
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.close()))
      await store.close()
    },
  }
}
