/** Takes a source chunk by chunk, as `for await` does, but does not wait for a source that was cancelled. */
import { type ByteSource, interruptible } from '@varve/core'
import type { Cancellation } from './cancellation.ts'

/**
 * Calls `take` with each chunk and waits for it before asking for the next. What the source, `take` or the
 * cancellation throws passes through; unless the source ended by itself, it is ended.
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
