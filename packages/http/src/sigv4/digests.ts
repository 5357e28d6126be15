/** The primitives of SigV4. Text is hashed one byte per character: Node passes header values in that form. */

import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** SHA-256 of nothing, in hex. */
export const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** SHA-256 in lower-case hex. `text` holds one byte per character. */
export function sha256Hex(text: string | Uint8Array): string {
  // A text of ASCII is the same bytes in UTF-8, as which it is hashed without a buffer.
  const bytes = typeof text === 'string' && beyondAscii.test(text) ? Buffer.from(text, 'latin1') : text
  return hash('sha256', bytes, 'hex')
}

const beyondAscii = /[^\x00-\x7f]/

/** HMAC-SHA256 in lower-case hex, the form of a signature. `text` holds one byte per character. */
export function hmacHex(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text, 'latin1').digest('hex')
}

/** Compares hex signatures in constant time. Anything that is not 64 hex digits equals nothing. */
export function signaturesEqual(expected: string, provided: string): boolean {
  readHex(sides.expected, expected)
  const isWellFormed = readHex(sides.provided, provided)
  return timingSafeEqual(sides.expected, sides.provided) && isWellFormed
}

/**
 * Reads 64 hexadecimal digits. Returns whether the text is that, after the same work for any text. Written out, because two calls of
 * the runtime take longer.
 */
function readHex(bytes: Uint8Array, text: string): boolean {
  let wrong = text.length ^ (bytes.length * 2)
  for (let i = 0; i < bytes.length; i++) {
    const high = hexDigit(text.charCodeAt(2 * i))
    const low = hexDigit(text.charCodeAt(2 * i + 1))
    wrong |= (high | low) & 0x100
    bytes[i] = (high << 4) | low
  }
  return wrong === 0
}

/** 0x100 for any other character. */
const hexDigit = (code: number): number => (code < hexDigits.length ? (hexDigits[code] as number) : 0x100)

const hexDigits = new Uint16Array(128).fill(0x100)
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16)
  hexDigits[digit.charCodeAt(0)] = value
  hexDigits[digit.toUpperCase().charCodeAt(0)] = value
}

/** One pair of buffers for all comparisons: a comparison is synchronous, so none overlaps with another. */
const sides = { expected: Buffer.alloc(32), provided: Buffer.alloc(32) }

/** Whether a request has the session token that its key requires, or none if it requires none. In constant time. */
export function sameToken(expected: string | undefined, given: string | undefined): boolean {
  if (expected === undefined || given === undefined) return expected === given
  return signaturesEqual(sha256Hex(Buffer.from(expected, 'utf8')), sha256Hex(Buffer.from(given, 'utf8')))
}

/** Whether it is 64 hexadecimal digits. A regular expression takes several times as long, and this runs for every request. */
export const isSha256Hex = (text: string): boolean => readHex(sides.provided, text)
