/**
 * Everything stored is framed: CRC-32 of key and payload (4 bytes, big-endian), one format byte, the payload.
 * The checksum covers the key, so a value that turns up under another key is caught as surely as a flipped bit.
 */
import type { Hashing } from '../ports/index.ts'

const headerLength = 5
/** Format 1: the payload is as described in docs/format.md. */
const frameFormat = 1

export function sealFrame(hashing: Hashing, key: Uint8Array, payload: Uint8Array): Uint8Array {
  const frame = new Uint8Array(headerLength + payload.length)
  frame[4] = frameFormat
  frame.set(payload, headerLength)
  const crc = hashing.crc32(frame.subarray(4), hashing.crc32(key))
  new DataView(frame.buffer).setUint32(0, crc)
  return frame
}

/** The payload, or `undefined` when the frame is damaged, belongs to another key or has another format. */
export function openFrame(hashing: Hashing, key: Uint8Array, frame: Uint8Array): Uint8Array | undefined {
  if (frame.length < headerLength || frame[4] !== frameFormat) return undefined
  const crc = new DataView(frame.buffer, frame.byteOffset).getUint32(0)
  if (crc !== hashing.crc32(frame.subarray(4), hashing.crc32(key))) return undefined
  return frame.subarray(headerLength)
}
