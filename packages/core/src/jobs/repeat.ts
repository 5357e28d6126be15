import type { Timer } from '../ports/index.ts'

export interface Interval {
  readonly ms: number
  readonly signal: AbortSignal
  readonly isOver: () => boolean
}

/** Does the work at intervals, also after it fails. */
export async function repeat(timer: Timer, { ms, signal, isOver }: Interval, work: () => Promise<void>): Promise<void> {
  for (;;) {
    // Without a wait between them the calls would take the whole thread.
    if (!(await waited(timer, ms, signal)) || isOver()) return
    try {
      await work()
    } catch {
      // The journal may answer again later.
    }
  }
}

/** False if the wait was ended, or the timer fails. */
export const waited = (timer: Timer, ms: number, signal: AbortSignal): Promise<boolean> =>
  timer.pause(ms, signal).then(
    () => true,
    () => false,
  )
