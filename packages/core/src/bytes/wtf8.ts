/**
 * UTF-8 for any text of JavaScript: half of a surrogate pair has three bytes of its own (WTF-8). For well-formed text
 * the bytes are those of UTF-8. Every text has exactly one form, and every form stands for one text.
 */
import { decodeUtf8, encodeUtf8Into, isWellFormed } from './utf8.ts'

/** The number of bytes of the text. */
export function wtf8Length(text: string): number {
  let length = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    length++
    if (unit < 0x800) continue
    length++
    // Both halves of a pair together have four bytes.
    if (isHigh(unit) && isLow(text.charCodeAt(i + 1))) i++
  }
  return length
}

/** Writes the text, for which there must be room, and returns the end offset. */
export function fillFromText(bytes: Uint8Array, from: number, text: string): number {
  if (isWellFormed(text)) return from + encodeUtf8Into(text, bytes.subarray(from))
  let at = from
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i) as number
    if (code > 0xffff) i++
    at = putCodePoint(bytes, at, code)
  }
  return at
}

function putCodePoint(bytes: Uint8Array, from: number, code: number): number {
  let at = from
  if (code < 0x80) bytes[at++] = code
  else if (code < 0x800) bytes[at++] = 0xc0 | (code >> 6)
  else if (code < 0x10000) {
    bytes[at++] = 0xe0 | (code >> 12)
    bytes[at++] = 0x80 | ((code >> 6) & 0x3f)
  } else {
    bytes[at++] = 0xf0 | (code >> 18)
    bytes[at++] = 0x80 | ((code >> 12) & 0x3f)
    bytes[at++] = 0x80 | ((code >> 6) & 0x3f)
  }
  if (code >= 0x80) bytes[at++] = 0x80 | (code & 0x3f)
  return at
}

/** @throws TypeError for bytes that no text is written as. */
export function decodeWtf8(bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes)
  } catch {
    return decodeHalves(bytes)
  }
}

/** Decodes the runs between the halves of pairs as UTF-8, which refuses all other bytes. */
function decodeHalves(bytes: Uint8Array): string {
  let text = ''
  let from = 0
  for (let at = 0; at + 2 < bytes.length; at++) {
    const [second, third] = [bytes[at + 1] as number, bytes[at + 2] as number]
    if (bytes[at] !== 0xed || second < 0xa0 || second > 0xbf || third < 0x80 || third > 0xbf) continue
    text += decodeUtf8(bytes.subarray(from, at))
    const unit = 0xd000 | ((second & 0x3f) << 6) | (third & 0x3f)
    if (isLow(unit) && at === from && isHigh(text.charCodeAt(text.length - 1))) throw new TypeError('A pair in halves.')
    text += String.fromCharCode(unit)
    from = at + 3
    at = from - 1
  }
  return text + decodeUtf8(bytes.subarray(from))
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
