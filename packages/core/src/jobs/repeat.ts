import type { Timer } from '../ports/index.ts'

export interface Interval {
  readonly ms: number
  readonly signal: AbortSignal
  readonly isOver: () => boolean
}

/** Does the work at intervals, also after it fails. */
export async function repeat(timer: Timer, { ms, signal, isOver }: Interval, work: () => Promise<void>): Promise<void> {
  for (;;) {
    await timer.pause(ms, signal).catch(() => undefined)
    if (isOver()) return
    try {
      await work()
    } catch {
      // The journal may answer again later.
    }
  }
}
