/** Follows what other engines commit to the journal, so that listeners get their events, and shows that this one works. */
import type { Engine } from '../engine/engine.ts'
import { beatMs } from '../sharing/membership.ts'

/** Milliseconds between two looks at the end of the log. */
const lookMs = 500

/** Ends when the signal aborts. Its errors are not lost: the next read or commit gets them. */
export async function followOthers(engine: Engine, signal: AbortSignal): Promise<void> {
  const { timer, clock } = engine.ports
  if (timer === undefined) return
  let beaten = clock.monotonic()
  while (!signal.aborted) {
    await timer.pause(lookMs, signal).catch(() => undefined)
    if (signal.aborted || engine.state !== 'open') return
    try {
      await engine.fresh()
      if (clock.monotonic() - beaten < beatMs) continue
      beaten = clock.monotonic()
      await engine.sharing.beat()
    } catch {
      // The journal may answer again later.
    }
  }
}
