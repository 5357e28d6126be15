/** Taking chunks from a source that may never answer: waiting for it can be given up. */
import type { ByteSource } from '../ports/index.ts'

export interface Interruptible {
  /** @throws the reason of the signal as soon as it aborts; what the source throws. */
  next(): Promise<IteratorResult<Uint8Array, unknown>>
  /** Ends the source. One that has not answered yet is told, but not waited for. */
  end(): Promise<void>
}

export function interruptible(source: ByteSource, signal: AbortSignal | undefined): Interruptible {
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
  return {
    async next() {
      signal?.throwIfAborted()
      return signal === undefined ? ask() : unlessAborted(ask(), signal)
    },
    async end() {
      if (state === 'over') return
      const waiting = state === 'idle'
      const ended = iterator.return?.()
      if (waiting) await ended
      else ended?.catch(() => undefined)
    },
  }
}

function unlessAborted<R>(work: Promise<R>, signal: AbortSignal): Promise<R> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    const settled = () => signal.removeEventListener('abort', abort)
    work.then(resolve, reject).finally(settled)
  })
}
