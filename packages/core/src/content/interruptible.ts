/** Reads chunks from a source that may never answer: the wait for a chunk can be cancelled. */
import { onAbort } from '../base/on-abort.ts'
import type { ByteSource } from '../ports/index.ts'

/** Settles as `work` does, or rejects earlier with the reason of the cancellation. */
export type Wait = <T>(work: Promise<T>) => Promise<T>

/** A source of bytes that can be ended from outside. */
export interface Interruptible {
  /** @throws the reason of the cancellation, or the error of the source. */
  next(): Promise<IteratorResult<Uint8Array, unknown>>
  /**
   * Ends the source, unless it has ended by itself. If it owes an answer, which may never come, its end is requested
   * but not awaited. Errors of ending are ignored, so this never rejects.
   */
  end(): Promise<void>
}

/** A source that can be ended from outside, even while a chunk is awaited. */
export function interruptible(source: ByteSource, wait: Wait): Interruptible {
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
  const endSource = async () => iterator.return?.()
  return {
    next: () => wait(ask()),
    async end() {
      if (state === 'over') return
      const answering = state === 'idle'
      state = 'over'
      const ended = endSource().catch(() => undefined)
      if (answering) await ended
    },
  }
}

/** A wait that rejects with the signal's reason when it aborts. */
export const unlessAborted =
  (signal: AbortSignal | undefined): Wait =>
  (work) => {
    if (signal === undefined) return work
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason)
      if (signal.aborted) abort()
      work.then(resolve, reject).finally(onAbort(signal, abort))
    })
  }
