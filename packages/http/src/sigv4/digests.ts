/** The primitives of SigV4. Text is hashed one byte per character: Node passes header values in that form. */

import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** SHA-256 of nothing, in hex. */
export const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** SHA-256 in lower-case hex. `text` holds one byte per character. */
export function sha256Hex(text: string | Uint8Array): string {
  return hash('sha256', typeof text === 'string' ? Buffer.from(text, 'latin1') : text, 'hex')
}

/** HMAC-SHA256 in lower-case hex, the form of a signature. `text` holds one byte per character. */
export function hmacHex(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text, 'latin1').digest('hex')
}

/** Compares hex signatures in constant time. Anything that is not 64 hex digits equals nothing. */
export function signaturesEqual(expected: string, provided: string): boolean {
  const wellFormed = isSha256Hex(provided)
  sides.expected.write(expected, 'hex')
  sides.provided.write(wellFormed ? provided : zeros, 'hex')
  return timingSafeEqual(sides.expected, sides.provided) && wellFormed
}

/** One pair of buffers for all comparisons: a comparison is synchronous, so none overlaps with another. */
const sides = { expected: Buffer.alloc(32), provided: Buffer.alloc(32) }
const zeros = '0'.repeat(64)

/** Whether a request has the session token that its key requires, or none if it requires none. In constant time. */
export function sameToken(expected: string | undefined, given: string | undefined): boolean {
  if (expected === undefined || given === undefined) return expected === given
  return signaturesEqual(sha256Hex(Buffer.from(expected, 'utf8')), sha256Hex(Buffer.from(given, 'utf8')))
}

/** Whether it is 64 hexadecimal digits. A regular expression takes several times as long, and this runs for every request. */
export function isSha256Hex(text: string): boolean {
  if (text.length !== 64) return false
  for (let i = 0; i < text.length; i++) if (!isHexDigit(text.charCodeAt(i))) return false
  return true
}

function isHexDigit(code: number): boolean {
  const letter = code | 0x20
  return (code >= 0x30 && code <= 0x39) || (letter >= 0x61 && letter <= 0x66)
}
