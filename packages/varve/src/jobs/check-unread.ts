/** Reads what the opening of a store did not read, slowly. What is damaged ends the use of the store. */
import type { StoreDirectory } from '@varve/adapters'
import { type Jobs, listenerErrorText, type Store } from '@varve/core'
import { rest } from './rest.ts'

export type UnreadLog = NonNullable<StoreDirectory['unread']>

/** Takes about a hundredth of a processor. */
const bytesPerMs = (10 * 1024 * 1024) / 1000

/** The job `log-files`. If the files are damaged, the store fails, and a process warning says why. Never rejects. */
export const checkUnread =
  (unread: UnreadLog, rate: number = bytesPerMs) =>
  async (store: Store, jobs: Jobs): Promise<void> => {
    const { signal } = jobs
    const pace = async (bytes: number): Promise<void> => {
      await rest(bytes / rate, signal)
      signal.throwIfAborted()
    }
    try {
      await jobs.runBeside('log-files', () => unread.check(pace))
    } catch (error) {
      if (error === signal.reason) return
      store.owner.views.distrust(error)
      process.emitWarning(`A store takes no more requests: ${listenerErrorText(error)}`, 'VarveDamageWarning')
    }
  }
