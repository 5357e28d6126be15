/**
 * Every stored value is framed: CRC-32 of key and payload (4 bytes, big-endian), one format byte, the payload.
 * The checksum covers the key, so a value under a wrong key is detected as reliably as a flipped bit.
 */
import type { Hashing } from '../ports/index.ts'
import { shortCrc32 } from './crc32.ts'

export const headerLength = 5

/** What a payload is: see docs/format.md. */
export const frameFormat = {
  /** The bytes of an object. */
  bytes: 1,
  /** A row or an event in binary form. */
  record: 2,
} as const
export type FrameFormat = (typeof frameFormat)[keyof typeof frameFormat]

/** Up to this length the CRC is computed here. */
const shortMax = 512

/** A frame around the bytes of an object. */
export function sealFrame(hashing: Hashing, key: Uint8Array, payload: Uint8Array): Uint8Array {
  const frame = new Uint8Array(headerLength + payload.length)
  frame.set(payload, headerLength)
  return seal(hashing, key, frame, frameFormat.bytes)
}

/** Writes the header into a frame whose payload is complete. */
export function seal(hashing: Hashing, key: Uint8Array, frame: Uint8Array, format: FrameFormat): Uint8Array {
  frame[4] = format
  const crc = crcOf(hashing, key, frame)
  frame[0] = crc >>> 24
  frame[1] = crc >>> 16
  frame[2] = crc >>> 8
  frame[3] = crc
  return frame
}

/** The payload, or `undefined` when the frame is damaged, belongs to another key or has another format. */
export const openFrame = (
  hashing: Hashing,
  key: Uint8Array,
  frame: Uint8Array,
  format: FrameFormat = frameFormat.bytes,
): Uint8Array | undefined => (isSealed(hashing, key, frame, format) ? payloadOf(frame) : undefined)

/** Whether the frame is undamaged, belongs to the key and has this format. */
export function isSealed(
  hashing: Hashing,
  key: Uint8Array,
  frame: Uint8Array,
  format: FrameFormat = frameFormat.bytes,
): boolean {
  if (frame.length < headerLength || frame[4] !== format) return false
  const stored =
    ((frame[0] as number) << 24) | ((frame[1] as number) << 16) | ((frame[2] as number) << 8) | (frame[3] as number)
  return crcOf(hashing, key, frame) === stored >>> 0
}

/** The payload of a frame whose checksum was checked, or that was just sealed. */
export const payloadOf = (frame: Uint8Array): Uint8Array => frame.subarray(headerLength)

function crcOf(hashing: Hashing, key: Uint8Array, frame: Uint8Array): number {
  const ofKey = shortCrc32(key, 0, 0)
  return frame.length > shortMax ? hashing.crc32(frame.subarray(4), ofKey) : shortCrc32(frame, 4, ofKey)
}
