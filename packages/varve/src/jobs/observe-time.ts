/** Reads the clock of a store every minute, so that the store notices sleep, and reports doubt about the clock. */
import { callListener, type ClockStatus, type Store } from '@varve/core'
import { rest } from './rest.ts'
import { warnOfListener } from './warn-of-listener.ts'

const everyMs = 60_000

/** Calls `report` when the state of the clock changes. Resolves when the signal aborts. */
export async function observeTime(
  store: Store,
  report: ((status: ClockStatus) => unknown) | undefined,
  signal: AbortSignal,
): Promise<void> {
  let state: ClockStatus['state'] = 'plausible'
  for (; !signal.aborted; await rest(everyMs, signal)) {
    const status = store.clock.status()
    if (status.state === state) continue
    state = status.state
    callListener(() => report?.(status), warnOfListener)
  }
}
