/** A source of bytes that reports how many were taken from it. */
import type { BodySource } from './one-piece.ts'

type Report = (progress: { readonly bytes: number }) => void

/** Without `onProgress` it is the source itself. */
export const reported = (source: BodySource, onProgress: Report | undefined): BodySource =>
  onProgress === undefined ? source : { [Symbol.asyncIterator]: () => reporting(source, onProgress) }

/** No generator: that could not be ended while it waits for a chunk. */
function reporting(source: BodySource, onProgress: Report): AsyncIterator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]()
  const end = async () => iterator.return?.() ?? { done: true as const, value: undefined }
  let bytes = 0
  return {
    async next() {
      const result = await iterator.next()
      if (result.done === true) return result
      bytes += result.value.length
      try {
        onProgress({ bytes })
      } catch (error) {
        await end()
        throw error
      }
      return result
    },
    return: end,
  }
}
