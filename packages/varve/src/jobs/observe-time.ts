/** Tells a store regularly that it runs, so that it knows sleep from running, and tells others when its clock comes under doubt. */
import type { ClockStatus, Store } from '@varve/core'
import { callListener, warnOfListener } from './call-listener.ts'

const everyMs = 60_000

/** `report` gets the status when its state changes. Returns what ends it. */
export function observeTime(core: Store, report: (status: ClockStatus) => unknown): () => void {
  let state: ClockStatus['state'] = 'plausible'
  const observe = (): void => {
    if (core.state === 'closed') return
    const status = core.clock.status()
    if (status.state === state) return
    state = status.state
    callListener(() => report(status), warnOfListener)
  }
  observe()
  const timer = setInterval(observe, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
