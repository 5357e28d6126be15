/** The writes under way in one blob store, so that closing it can stop them, and nothing is begun after. */
import { StorageError } from '@varve/core'
import { type Cancellation, cancellation } from './cancellation.ts'

export interface OpenWrites {
  /** @throws StorageError `StoreClosed` */
  assertOpen(): void
  /** Runs one write under a cancellation that the signal and the closing of the store can pull. */
  run<T>(signal: AbortSignal | undefined, write: (cancel: Cancellation) => Promise<T>): Promise<T>
  /** Stops what is under way, with `StoreClosed`, and resolves when all of it has cleaned up. Idempotent. */
  close(): Promise<void>
}

export function openWrites(): OpenWrites {
  const underWay = new Map<Cancellation, Promise<unknown>>()
  let closed = false
  const closedError = () => new StorageError('StoreClosed', 'The blob store is closed.')
  const assertOpen = () => {
    if (closed) throw closedError()
  }
  return {
    assertOpen,
    async run(signal, write) {
      assertOpen()
      const cancel = cancellation(signal)
      try {
        cancel.throwIfCancelled()
        const writing = write(cancel)
        underWay.set(cancel, writing)
        return await writing
      } finally {
        cancel.release()
        underWay.delete(cancel)
      }
    },
    async close() {
      closed = true
      for (const cancel of underWay.keys()) cancel.cancel(closedError())
      await Promise.allSettled(underWay.values())
    },
  }
}
