/**
 * Character references: five names, and every number that is a Unicode scalar value other than NUL. The control
 * characters and U+FFFE that XML 1.0 forbids are accepted on purpose: keys may hold them, and clients send back what a
 * listing showed them.
 */

import { malformed } from './malformed.ts'

const names = new Map([
  ['lt', 0x3c],
  ['gt', 0x3e],
  ['amp', 0x26],
  ['quot', 0x22],
  ['apos', 0x27],
])
const longest = '&#x0010FFFF;'.length
const ampersand = 0x26
const hash = 0x23
const lowerX = 0x78
const semicolon = 0x3b

/**
 * Decodes each reference in `text` once. Works on code units: a text that is all references (a key of line ends, a hostile
 * body) costs no more than a few nanoseconds a character.
 * @throws MalformedXML when an ampersand does not begin a reference we know
 */
export function decodeReferences(text: string): string {
  if (!text.includes('&')) return text
  const decoded = Buffer.allocUnsafe(text.length * 2)
  let length = 0
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit !== ampersand) {
      length = decoded.writeUInt16LE(unit, length)
      continue
    }
    const end = endOf(text, at)
    length = write(decoded, length, meaning(text, at + 1, end))
    at = end
  }
  return decoded.toString('utf16le', 0, length)
}

/** The reference is longer than what it stands for, so there is always room. */
function write(decoded: Buffer, length: number, code: number): number {
  if (code <= 0xffff) return decoded.writeUInt16LE(code, length)
  const high = decoded.writeUInt16LE(0xd800 + ((code - 0x10000) >> 10), length)
  return decoded.writeUInt16LE(0xdc00 + ((code - 0x10000) & 0x3ff), high)
}

function endOf(text: string, start: number): number {
  const limit = Math.min(text.length, start + longest)
  for (let at = start + 1; at < limit; at += 1) if (text.charCodeAt(at) === semicolon) return at
  throw unknown()
}

/** The code point of the reference between `&` and `;`. */
function meaning(text: string, start: number, end: number): number {
  const code = text.charCodeAt(start) === hash ? number(text, start + 1, end) : names.get(text.slice(start, end))
  const isScalar = code !== undefined && code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  if (!isScalar) throw unknown()
  return code
}

/** NaN when it is none; 0 when there are no digits: neither is a character. */
function number(text: string, start: number, end: number): number {
  const isHex = text.charCodeAt(start) === lowerX
  let code = 0
  for (let at = isHex ? start + 1 : start; at < end; at += 1) {
    code = code * (isHex ? 16 : 10) + digit(text.charCodeAt(at), isHex)
  }
  return code
}

function digit(unit: number, isHex: boolean): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30
  const letter = (unit | 0x20) - 0x61
  return isHex && letter >= 0 && letter < 6 ? letter + 10 : Number.NaN
}

function unknown(): Error {
  return malformed('a reference is not one we know')
}
