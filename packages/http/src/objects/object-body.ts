import type { ObjectContent } from '@varve/core'

/**
 * The bytes of an object for an answer that may never be sent: they are let go when the reader ends early, ends before
 * it began (which a generator does not notice by itself), or the client goes away.
 */
export function objectBody(object: ObjectContent, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const letGo = (): void => void object.close().catch(ignore)
  if (signal.aborted) letGo()
  else signal.addEventListener('abort', letGo, { once: true })
  return {
    [Symbol.asyncIterator]() {
      const bytes = object.body[Symbol.asyncIterator]()
      return {
        next: () => bytes.next(),
        async return() {
          signal.removeEventListener('abort', letGo)
          await object.close()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

/** The bytes are not wanted any more, nor is what is wrong with them. */
function ignore(): void {}
