/** Takes a source chunk by chunk, as `for await` does, but does not wait for a source that was cancelled. */
import type { ByteSource } from '@varve/core'
import type { Cancellation } from './cancellation.ts'

/**
 * Calls `take` with each chunk and waits for it before asking for the next. What the source, `take` or the
 * cancellation throws passes through; unless the source ended by itself, it is told that it may end.
 */
export async function drainSource(
  source: ByteSource,
  cancel: Cancellation,
  take: (chunk: Uint8Array) => Promise<void> | undefined,
): Promise<void> {
  cancel.throwIfCancelled()
  const iterator = source[Symbol.asyncIterator]()
  let state: 'idle' | 'asking' | 'over' = 'idle'
  const ask = async () => {
    state = 'asking'
    try {
      const result = await iterator.next()
      state = result.done === true ? 'over' : 'idle'
      return result
    } catch (error) {
      state = 'over'
      throw error
    }
  }
  const end = async () => iterator.return?.()
  try {
    for (;;) {
      const { value, done } = await cancel.wait(ask())
      if (done === true) return
      await take(value)
      cancel.throwIfCancelled()
    }
  } finally {
    // A source that has not answered yet may never do so: it is told, but not waited for.
    const left = state as 'idle' | 'asking' | 'over'
    const ended = left === 'over' ? undefined : end().catch(() => undefined)
    if (left === 'idle') await ended
  }
}
