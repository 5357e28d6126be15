/** The running writes of one blob store: closing the store stops them and refuses new ones. */
import { StorageError } from '@varve/core'
import { type Cancellation, cancellation } from './cancellation.ts'

export interface OpenWrites {
  /** @throws StorageError `StoreClosed` */
  assertOpen(): void
  /** Runs one write. Both the signal and the closing of the store can cancel it. */
  run<T>(signal: AbortSignal | undefined, write: (cancel: Cancellation) => Promise<T>): Promise<T>
  /** Stops the running writes, with `StoreClosed`, and resolves when all of them have cleaned up. Idempotent. */
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
