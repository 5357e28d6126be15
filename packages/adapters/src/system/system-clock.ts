import { uptime } from 'node:os'
import type { Clock } from '@varve/core'
import { countSleep } from './count-sleep.ts'

/** The time of the machine. On Linux Node's own monotonic clock stops while the machine sleeps; the uptime does not. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: countSleep(
    () => performance.now(),
    () => (process.platform === 'linux' ? uptime() * 1000 : performance.now()),
  ),
}
