/** Follows what other engines commit to the journal, so that listeners get their events, and shows that this one works. */
import type { Engine } from '../engine/engine.ts'
import type { Timer } from '../ports/index.ts'
import { beatMs } from '../sharing/membership.ts'

/** Milliseconds between two looks at the end of the log. */
const lookMs = 500

/** Ends when the signal aborts. Its errors are not lost: the next read or commit gets them. */
export async function followOthers(engine: Engine, signal: AbortSignal): Promise<void> {
  const { timer } = engine.ports
  if (timer === undefined) return
  const isOver = (): boolean => signal.aborted || engine.state !== 'open'
  await Promise.all([
    repeat(timer, { ms: lookMs, signal, isOver }, () => engine.look()),
    // Beside the looks, because a look waits while views are computed, which can take longer than a membership lasts.
    repeat(timer, { ms: beatMs, signal, isOver }, () => engine.sharing.beat()),
  ])
}

interface Interval {
  readonly ms: number
  readonly signal: AbortSignal
  readonly isOver: () => boolean
}

async function repeat(timer: Timer, { ms, signal, isOver }: Interval, work: () => Promise<void>): Promise<void> {
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
