import { setMaxListeners } from 'node:events'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import type { Timer } from '@varve/core'

/** The longest time of a timer of Node, in milliseconds. */
const longestMs = 2 ** 31 - 1

/** Waits with the machine's timers, which do not keep the process alive. */
export const systemTimer: Timer = {
  nextTurn: () => turn(),

  hold() {
    const timer = setInterval(() => undefined, longestMs)
    return () => clearInterval(timer)
  },

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
