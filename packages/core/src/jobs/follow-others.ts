/** Follows what other engines commit to the journal, so that listeners get their events, and shows that this one works. */
import type { Engine } from '../engine/engine.ts'
import { beatMs } from '../sharing/membership.ts'
import { repeat } from './repeat.ts'
import { requestsErasure } from './sweep-events.ts'

/** Milliseconds between two looks at the end of the log. */
const lookMs = 500

/** Ends when the signal aborts. Its errors are not lost: the next read or commit gets them. */
export async function followOthers(engine: Engine, signal: AbortSignal): Promise<void> {
  const { timer } = engine.ports
  if (timer === undefined) return
  const isOver = (): boolean => signal.aborted || engine.state !== 'open'
  // Another engine may wait to learn that no read of this one needs what it erases.
  engine.onCommitted((events) => {
    if (events.some(requestsErasure)) void engine.sharing.beat().catch(() => undefined)
  })
  await Promise.all([
    repeat(timer, { ms: lookMs, signal, isOver }, () => engine.look()),
    // Beside the looks, because a look waits while views are computed, which can take longer than a membership lasts.
    repeat(timer, { ms: beatMs, signal, isOver }, () => engine.sharing.beat()),
  ])
}
