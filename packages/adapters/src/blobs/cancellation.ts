/**
 * Cancels one write. A source may never answer, so the wait for it can be cut short. A long write waits many times, so
 * a wait must leave nothing behind in memory.
 */

import { onAbort } from '@varve/core'

export interface Cancellation {
  /** Stops the current wait, and every later one, with `reason`. */
  cancel(reason: unknown): void
  /** Settles as `work` does, unless cancelled first. */
  wait<T>(work: Promise<T>): Promise<T>
  throwIfCancelled(): void
  /** Stops listening to the signal. */
  release(): void
}

export function cancellation(signal: AbortSignal | undefined): Cancellation {
  let cancelled: { readonly reason: unknown } | undefined
  let interrupt: ((reason: unknown) => void) | undefined
  const abort = (): void => self.cancel(signal?.reason)
  const unlisten = signal && onAbort(signal, abort)
  const self: Cancellation = {
    cancel(reason) {
      cancelled ??= { reason }
      interrupt?.(cancelled.reason)
    },
    async wait(work) {
      try {
        return await new Promise((resolve, reject) => {
          interrupt = reject
          if (cancelled !== undefined) reject(cancelled.reason)
          work.then(resolve, reject)
        })
      } finally {
        interrupt = undefined
      }
    },
    throwIfCancelled() {
      if (cancelled !== undefined) throw cancelled.reason
    },
    release() {
      unlisten?.()
    },
  }
  if (signal?.aborted === true) abort()
  return self
}
