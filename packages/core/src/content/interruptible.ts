/** Taking chunks from a source that may never answer: waiting for it can be given up. */
import type { ByteSource } from '../ports/index.ts'

/** Settles as `work` does, or rejects earlier with the reason for giving up. */
export type Wait = <T>(work: Promise<T>) => Promise<T>

/** A source of bytes that can be ended from outside. */
export interface Interruptible {
  /** @throws what the wait is given up with; what the source throws. */
  next(): Promise<IteratorResult<Uint8Array, unknown>>
  /**
   * Ends the source, unless it ended by itself. One that has not answered yet may never do so: it is told, but not
   * waited for. What it says to that is of no interest, so this never rejects.
   */
  end(): Promise<void>
}

/** A source whose reader can be ended from outside, even while it waits for a chunk. */
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

/** A wait that the signal ends, with its reason. */
export const unlessAborted =
  (signal: AbortSignal | undefined): Wait =>
  (work) => {
    if (signal === undefined) return work
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason)
      if (signal.aborted) abort()
      signal.addEventListener('abort', abort, { once: true })
      const settled = () => signal.removeEventListener('abort', abort)
      work.then(resolve, reject).finally(settled)
    })
  }
