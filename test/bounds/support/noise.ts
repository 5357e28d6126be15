/** Bytes of any length, made on demand. The sender and the checker hold none of them. */

const chunkBytes = 64 * 1024
/** A prime number of bytes, so that no run of a mebibyte is like the next. */
const block = ((): Buffer => {
  const bytes = Buffer.allocUnsafe(1_048_573)
  for (let at = 0, state = 12345; at < bytes.length; at++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    bytes[at] = state >>> 16
  }
  return bytes
})()

/** Bodies with different values of `seed` differ. */
export function* noise(length: number, seed = 0): Generator<Buffer> {
  for (let at = 0; at < length; ) {
    const begin = (at + seed * 7919) % block.length
    const chunk = block.subarray(begin, begin + Math.min(chunkBytes, length - at))
    yield chunk
    at += chunk.length
  }
}

export async function* noiseStream(length: number, seed = 0): AsyncGenerator<Buffer> {
  yield* noise(length, seed)
}

/** Takes chunks in order. `isRight` then returns whether they were exactly that body. */
export function noiseCheck(length: number, seed = 0): { take(chunk: Uint8Array): void; isRight(): boolean } {
  let at = 0
  let right = true
  return {
    take(chunk) {
      for (let taken = 0; right && taken < chunk.length; ) {
        const begin = (at + seed * 7919) % block.length
        const piece = chunk.subarray(taken, taken + block.length - begin)
        right = at + piece.length <= length && block.subarray(begin, begin + piece.length).equals(piece)
        taken += piece.length
        at += piece.length
      }
    },
    isRight: () => right && at === length,
  }
}
