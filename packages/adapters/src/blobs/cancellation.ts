/**
 * Cancels one write. A source may never answer, so waiting for it can be cut short; and as a long
 * write waits many times, nothing may pile up with each wait.
 */

export interface Cancellation {
  /** Stops the wait under way, and every later one, with `reason`. */
  cancel(reason: unknown): void
  /** Settles as `work` does, unless cancelled first. */
  wait<T>(work: Promise<T>): Promise<T>
  throwIfCancelled(): void
  /** Lets go of the signal. */
  release(): void
}

export function cancellation(signal: AbortSignal | undefined): Cancellation {
  let cancelled: { readonly reason: unknown } | undefined
  let interrupt: ((reason: unknown) => void) | undefined
  const onAbort = () => self.cancel(signal?.reason)
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
      signal?.removeEventListener('abort', onAbort)
    },
  }
  if (signal?.aborted === true) onAbort()
  else signal?.addEventListener('abort', onAbort, { once: true })
  return self
}
