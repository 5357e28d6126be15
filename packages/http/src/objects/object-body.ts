import { type ObjectContent, onAbort } from '@varve/core'

/**
 * The bytes of an object for an answer that may never be sent. They are released when the client goes away before
 * reading began, and when the reader ends early, even before its first read (which a generator that has not begun does
 * not notice). `onEnd` is called at least once, when none of the bytes are held any more.
 */
export function objectBody(object: ObjectContent, signal: AbortSignal, onEnd = ignore): AsyncIterable<Uint8Array> {
  const letGo = (): void => {
    void object.close().catch(ignore)
    onEnd()
  }
  const unlisten = onAbort(signal, letGo)
  if (signal.aborted) letGo()
  return {
    [Symbol.asyncIterator]() {
      unlisten()
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

/** The bytes are no longer needed, so their errors do not matter. */
function ignore(): void {}
