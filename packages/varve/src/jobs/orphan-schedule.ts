/** Removes bytes that crashes left without a name: once a day, by one of the engines on a log. */
import { isStorageError, type Jobs, type Store } from '@varve/core'
import { rest } from './rest.ts'

/** Crashes are rare, and to find what they left, all blobs are listed. */
export const orphansEveryMs = 24 * 3_600_000
const lookMs = 60_000

/** Resolves when the signal aborts, or the store is closed. Why a sweep failed is in the status of the job. */
export async function removeOrphansEvery(store: Store, everyMs: number, jobs: Jobs): Promise<void> {
  const { signal } = jobs
  while (!signal.aborted && store.state !== 'closed') {
    await jobs
      .alone('orphans', () => removeIfDue(store, everyMs, jobs))
      .catch((error: unknown) => {
        if (!signal.aborted && !isStorageError(error)) throw error
      })
    await rest(Math.min(everyMs, lookMs), signal)
  }
}

async function removeIfDue(store: Store, everyMs: number, { places }: Jobs): Promise<void> {
  const passedAt = Number(await places.read('orphans'))
  const passed = Date.now() - passedAt
  if ((passed >= 0 && passed < everyMs) || store.state !== 'open') return
  await store.sweep({ orphans: true })
  await places.write('orphans', String(Date.now()))
}
