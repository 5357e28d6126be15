/** An observer on this machine's clock and timer, for what is measured outside the engine. */
import { systemClock, systemTimer } from '@varve/adapters'
import { type Observer, Observing } from '@varve/core'
import { warnOfListener } from '../jobs/warn-of-listener.ts'

export function observingOf(observer: Observer | undefined): Observing | undefined {
  if (observer === undefined) return undefined
  return new Observing(observer, {
    warn: warnOfListener,
    now: () => systemClock.monotonic(),
    pause: (ms) => systemTimer.pause(ms),
  })
}
