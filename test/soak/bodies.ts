/** Bodies that differ from each other and can be made again. A body is its number and its size. */

export interface BodyId {
  readonly number: number
  readonly size: number
}

const blockBytes = 1 << 20
const step = 7919

/** Noise from a seed, so that nothing compresses and every process has the same. */
const block = ((): Buffer => {
  const bytes = Buffer.alloc(blockBytes)
  let state = 0x9e3779b9
  for (let at = 0; at < blockBytes; at += 4) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    bytes.writeInt32LE(state | 0, at)
  }
  return bytes
})()

/** Where the noise of a body begins. */
const offsetOf = ({ number }: BodyId): number => (number * step) % blockBytes

/** The bytes `from` to `to` of a body. */
export function bodyBytes(body: BodyId, from = 0, to = body.size): Buffer {
  const bytes = Buffer.allocUnsafe(to - from)
  for (let at = from; at < to; ) {
    const begin = (offsetOf(body) + at) % blockBytes
    const count = Math.min(to - at, blockBytes - begin)
    block.copy(bytes, at - from, begin, begin + count)
    at += count
  }
  // The number itself, as far as there is room for it.
  const stamp = Buffer.alloc(8)
  stamp.writeDoubleLE(body.number)
  stamp.subarray(Math.min(from, 8), Math.min(to, 8)).copy(bytes)
  return bytes
}

/** Whether bytes are those of the body, from an offset on. */
export const isBody = (body: BodyId, bytes: Uint8Array, from = 0): boolean =>
  bytes.length <= body.size - from && bodyBytes(body, from, from + bytes.length).equals(bytes)
