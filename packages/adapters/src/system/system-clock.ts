import type { Clock } from '@varve/core'

/** The time of the machine. */
export const systemClock: Clock = { now: () => Date.now() }
