/**
 * Every stored value is framed: CRC-32 of key and payload (4 bytes, big-endian), one format byte, the payload.
 * The checksum covers the key, so a value under a wrong key is detected as reliably as a flipped bit.
 */
import type { Hashing } from '../ports/index.ts'
import { encodeUtf8Into } from './utf8.ts'

export const headerLength = 5
/** Format 1: the payload is as described in docs/format.md. */
const frameFormat = 1

export function sealFrame(hashing: Hashing, key: Uint8Array, payload: Uint8Array): Uint8Array {
  const frame = new Uint8Array(headerLength + payload.length)
  frame.set(payload, headerLength)
  return seal(hashing, key, frame)
}

/**
 * A frame around text. Frames are cut from shared pages: they are many and short-lived, and a separate allocation would
 * cost more than the text. A frame that is kept keeps its whole page in memory.
 */
export function sealText(hashing: Hashing, key: Uint8Array, text: string): Uint8Array {
  const lengthMax = headerLength + text.length * 3
  if (lengthMax > page.length - pageUsed) {
    page = new Uint8Array(Math.max(pageBytes, lengthMax))
    pageUsed = 0
  }
  const start = pageUsed
  pageUsed += headerLength + encodeUtf8Into(text, page.subarray(start + headerLength))
  return seal(hashing, key, page.subarray(start, pageUsed))
}

const pageBytes = 64 * 1024
let page = new Uint8Array(0)
let pageUsed = 0

function seal(hashing: Hashing, key: Uint8Array, frame: Uint8Array): Uint8Array {
  frame[4] = frameFormat
  const crc = hashing.crc32(frame.subarray(4), hashing.crc32(key))
  for (let i = 3, rest = crc; i >= 0; i--, rest >>>= 8) frame[i] = rest & 0xff
  return frame
}

/** The payload, or `undefined` when the frame is damaged, belongs to another key or has another format. */
export const openFrame = (hashing: Hashing, key: Uint8Array, frame: Uint8Array): Uint8Array | undefined =>
  isSealed(hashing, key, frame) ? frame.subarray(headerLength) : undefined

/** Whether the frame is undamaged and belongs to the key. */
export function isSealed(hashing: Hashing, key: Uint8Array, frame: Uint8Array): boolean {
  if (frame.length < headerLength || frame[4] !== frameFormat) return false
  return crcOf(frame) === hashing.crc32(frame.subarray(4), hashing.crc32(key))
}

/** The payload of a frame that was just sealed. */
export const payloadOf = (frame: Uint8Array): Uint8Array => frame.subarray(headerLength)

function crcOf(frame: Uint8Array): number {
  let crc = 0
  for (let i = 0; i < 4; i++) crc = (crc << 8) | (frame[i] as number)
  return crc >>> 0
}
