/** Applies lifecycle rules once a day, after midnight UTC, when rules with days and dates become due. */
import { isStorageError, type Store } from '@varve/core'
import { rest } from './rest.ts'

export interface LifecycleSchedule {
  /** The length of a day, in milliseconds. */
  readonly dayMs: number
}

/** Check at least this often: timers have a limited range, and machines sleep. */
const lookMsMax = 60_000

/**
 * Applies the rules soon after the start, since the time of the last run is unknown, and then every day. Resolves when
 * the signal aborts or the store is closed.
 */
export async function applyEveryDay(store: Store, { dayMs }: LifecycleSchedule, signal: AbortSignal): Promise<void> {
  let appliedOn: number | undefined
  for (;;) {
    await rest(Math.max(1, Math.min(dayMs / 10, lookMsMax)), signal)
    if (signal.aborted || store.state === 'closed') return
    const today = Math.floor(Date.now() / dayMs)
    if (today === appliedOn || store.state !== 'open') continue
    try {
      await store.applyLifecycle({ signal })
      appliedOn = today
    } catch (error) {
      // The error is in `store.jobs`; the rules are tried again.
      if (!signal.aborted && !isStorageError(error)) throw error
    }
  }
}
