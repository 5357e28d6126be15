/** A store on the disk, and workers' stores linked to it without a process between them. */
import { nodeHashing } from '@varve/adapters'
import { openStore } from '../store/open-store.ts'
import type { OpenStoreOptions } from '../store/store-options.ts'
import type { Store } from '@varve/core'
import { type Gate, gatedPair } from './gated-pair.fixture.ts'
import { OwnerLink } from './owner-link.ts'
import { type WorkerStore, type WorkerStoreOptions, workerStore } from './worker-store.ts'

export interface LinkedWorker extends WorkerStore {
  readonly link: OwnerLink
  readonly toWorker: Gate
  readonly toOwner: Gate
}

export interface Hiring extends Pick<WorkerStoreOptions, 'isOwned'> {
  /** How long the owner waits until it gives the worker up. */
  readonly stalledMs?: number
}

export interface LinkedStores {
  readonly dir: string
  /** The one that is open now. */
  readonly store: Store
  hire(hiring?: Hiring): Promise<LinkedWorker>
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
    async hire({ stalledMs = 60_000, ...isOwned } = {}) {
      const pair = gatedPair()
      const [owners, own] = pair.ends
      const onStalled = () => void link.end()
      const link: OwnerLink = new OwnerLink(owners, store.owner, session, { onStalled, stalledMs })
      const worker = await workerStore(own, {
        dir,
        region: 'eu',
        hashing: await nodeHashing(),
        openMax: 16,
        ...isOwned,
      })
      const linked = { ...worker, link, toWorker: pair.toWorker, toOwner: pair.toOwner }
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
