import type { ObjectContent } from '@varve/core'

/**
 * The bytes of an object for an answer that may never be sent. They are let go when the client goes away before anyone
 * began to read, and when the reader ends early or at once (which a generator that never began does not notice).
 * `onEnd`: called once or more, when nothing of them is held any more.
 */
export function objectBody(object: ObjectContent, signal: AbortSignal, onEnd = ignore): AsyncIterable<Uint8Array> {
  const letGo = (): void => {
    void object.close().catch(ignore)
    onEnd()
  }
  if (signal.aborted) letGo()
  else signal.addEventListener('abort', letGo, { once: true })
  return {
    [Symbol.asyncIterator]() {
      signal.removeEventListener('abort', letGo)
      const bytes = object.body[Symbol.asyncIterator]()
      return {
        async next() {
          let goesOn = false
          try {
            const result = await bytes.next()
            goesOn = result.done !== true
            return result
          } finally {
            if (!goesOn) onEnd()
          }
        },
        async return() {
          try {
            await bytes.return?.()
            await object.close()
          } finally {
            onEnd()
          }
          return { done: true, value: undefined }
        },
      }
    },
  }
}

/** The bytes are not wanted any more, nor is what is wrong with them. */
function ignore(): void {}
