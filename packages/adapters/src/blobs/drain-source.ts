/** Reads a source chunk by chunk, as `for await` does, but does not wait for a source whose write was cancelled. */
import { type ByteSource, interruptible } from '@varve/core'
import type { Cancellation } from './cancellation.ts'

/**
 * Calls `take` with each chunk and waits for it before it requests the next one. Errors of the source, of `take` and of
 * the cancellation pass through. A source that has not ended by itself is ended.
 */
export async function drainSource(
  source: ByteSource,
  cancel: Cancellation,
  take: (chunk: Uint8Array) => Promise<void> | undefined,
): Promise<void> {
  cancel.throwIfCancelled()
  const input = interruptible(source, cancel.wait)
  try {
    for (;;) {
      const { value, done } = await input.next()
      if (done === true) return
      await take(value)
      cancel.throwIfCancelled()
    }
  } finally {
    await input.end()
  }
}
