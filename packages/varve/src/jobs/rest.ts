import { setTimeout } from 'node:timers/promises'

/** Resolves after `ms` milliseconds, or when the signal aborts. Does not keep the process running. */
export const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal, ref: false }).catch(() => undefined)
