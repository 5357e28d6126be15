import { codesFor, shortMax, textOf } from './utf8.ts'

/** The character codes of the digits. */
const digits = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0))
/** How many bytes become text at a time. */
const runBytes = shortMax / 2

/** Lower-case hexadecimal. */
export const toHex = (bytes: Uint8Array): string => hexText(bytes, 0, bytes.length)

/** The bytes from `from` up to `to` in lower-case hexadecimal. */
export function hexText(bytes: Uint8Array, from: number, to: number): string {
  let text = ''
  for (let at = from; at < to; at += runBytes) text += shortHex(bytes, at, Math.min(at + runBytes, to))
  return text
}

function shortHex(bytes: Uint8Array, from: number, to: number): string {
  const codes = codesFor((to - from) * 2)
  let end = 0
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number
    codes[end++] = digits[byte >> 4] as number
    codes[end++] = digits[byte & 15] as number
  }
  return textOf(codes)
}

/** The value of a lower-case digit by its character code; 16 for other characters. */
const values = new Uint8Array(128).fill(16)
for (const [value, code] of digits.entries()) values[code] = value

/** The bytes of an even number of lower-case hex digits. @throws TypeError for other text. */
export function fromHex(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length >> 1)
  fillFromHex(bytes, 0, text)
  return bytes
}

/**
 * Writes the bytes of `text`, for which there must be room, and returns the end offset.
 * @throws TypeError as `fromHex`.
 */
export function fillFromHex(bytes: Uint8Array, from: number, text: string): number {
  const end = fillIfHex(bytes, from, text)
  if (end < 0) throw new TypeError(`Not hexadecimal: ${text}`)
  return end
}

/** As `fillFromHex`, but returns -1 for text that is not an even number of lower-case digits. */
export function fillIfHex(bytes: Uint8Array, from: number, text: string): number {
  if (text.length % 2 !== 0) return -1
  let at = from
  for (let i = 0; i < text.length; i += 2) {
    const high = values[text.charCodeAt(i)] ?? 16
    const low = values[text.charCodeAt(i + 1)] ?? 16
    if ((high | low) > 15) return -1
    bytes[at++] = (high << 4) | low
  }
  return at
}
