import { setMaxListeners } from 'node:events'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import type { Timer } from '@varve/core'

/** Waits with the machine's timers, which do not keep the process alive. */
export const systemTimer: Timer = {
  nextTurn: () => turn(),

  async pause(ms, signal) {
    signal?.throwIfAborted()
    // The signal of a store ends the pauses of all its jobs: Node takes more than ten at once for a leak.
    if (signal !== undefined) setMaxListeners(0, signal)
    try {
      await delay(ms, undefined, { ref: false, ...(signal && { signal }) })
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    }
  },
}
