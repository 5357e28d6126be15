/** Base64 without the runtime, because browsers and Node offer different functions. */
import { decodeUtf8 } from './utf8.ts'

/** An alphabet of base64, and whether its texts are padded to groups of four characters. */
export interface Base64Form {
  /** The character code of each value. */
  readonly codes: Uint8Array
  /** The value of each ASCII character; 64 for characters that are not part of the alphabet. */
  readonly values: Uint8Array
  readonly isPadded: boolean
}

function form(lastTwo: string, isPadded: boolean): Base64Form {
  const digits = `ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789${lastTwo}`
  const codes = Uint8Array.from(digits, (character) => character.charCodeAt(0))
  const values = new Uint8Array(128).fill(64)
  for (const [value, code] of codes.entries()) values[code] = value
  return { codes, values, isPadded }
}

/** Standard alphabet with padding: the form of S3 checksums. */
export const standardBase64 = form('+/', true)

/** The alphabet for URLs, without padding: the form of the links of the log. */
export const urlBase64 = form('-_', false)

const paddingCode = 0x3d
/** Room for the characters of short texts. */
const shortRoom = new Uint8Array(1024)

/** The text of the bytes from `from` up to `to`. */
export function base64Text({ codes, isPadded }: Base64Form, bytes: Uint8Array, from: number, to: number): string {
  const lengthMax = Math.ceil((to - from) / 3) * 4
  const room = lengthMax > shortRoom.length ? new Uint8Array(lengthMax) : shortRoom
  let end = 0
  for (let at = from; at < to; at += 3) {
    const rest = to - at
    const word =
      ((bytes[at] as number) << 16) |
      (rest > 1 ? (bytes[at + 1] as number) << 8 : 0) |
      (rest > 2 ? (bytes[at + 2] as number) : 0)
    room[end++] = codes[word >> 18] as number
    room[end++] = codes[(word >> 12) & 63] as number
    if (rest > 1) room[end++] = codes[(word >> 6) & 63] as number
    if (rest > 2) room[end++] = codes[word & 63] as number
  }
  if (isPadded) while (end % 4 !== 0) room[end++] = paddingCode
  return decodeUtf8(room.subarray(0, end))
}

/** The number of bytes that the text stands for, if it is well-formed. */
export function base64Length({ isPadded }: Base64Form, text: string): number {
  if (!isPadded) return Math.floor((text.length * 3) / 4)
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return (text.length / 4) * 3 - padding
}

/**
 * Writes the bytes of `text`, for which there must be room, and returns the end offset; -1 unless the text is exactly
 * as `base64Text` writes it.
 */
export function fillFromBase64(form: Base64Form, bytes: Uint8Array, from: number, text: string): number {
  const { length } = text
  if (form.isPadded ? length % 4 !== 0 : length % 4 === 1) return -1
  const end = from + base64Length(form, text)
  const digits = Math.ceil(((end - from) * 8) / 6)
  let at = from
  let word = 0
  for (let i = 0; i < digits; i++) {
    const value = form.values[text.charCodeAt(i)] ?? 64
    if (value === 64) return -1
    word = (word << 6) | value
    if (i % 4 === 0) continue
    const unused = 6 - 2 * (i % 4)
    bytes[at++] = word >> unused
    word &= (1 << unused) - 1
  }
  return word === 0 ? end : -1
}

/** Standard alphabet with padding. */
export const toBase64 = (bytes: Uint8Array): string => base64Text(standardBase64, bytes, 0, bytes.length)

/** `undefined` unless the text is padded standard base64, exactly as `toBase64` would write it. */
export function fromBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined
  const bytes = new Uint8Array(base64Length(standardBase64, text))
  return fillFromBase64(standardBase64, bytes, 0, text) < 0 ? undefined : bytes
}
