/** The jobs of open stores, for work that servers do in the name of a store. */
import type { Jobs, Store } from '@varve/core'

const known = new WeakMap<Store, Jobs>()

/** Background work that only notes the jobs of the store. */
export async function noteJobs(store: Store, jobs: Jobs): Promise<void> {
  known.set(store, jobs)
}

/** `undefined` for a store that another process has open. */
export const jobsOf = (store: Store | undefined): Jobs | undefined => store && known.get(store)
