import { rest } from './rest.ts'

/** The pause after the first failure, and the longest one, in milliseconds. */
const pauseMs = { first: 1000, longest: 60_000 } as const

/** Rests after so many failures in a row: twice as long after each, a minute at most. */
export const restAfter = (failures: number, signal: AbortSignal): Promise<void> =>
  rest(Math.min(pauseMs.longest, pauseMs.first * 2 ** Math.max(0, failures - 1)), signal)

export const restLongest = (signal: AbortSignal): Promise<void> => rest(pauseMs.longest, signal)
