/** Strict UTF-8: malformed text is refused, never silently replaced. Encoding expects text that was checked. */
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text)

/** Writes the text and returns the number of bytes. There must be room for all of it. */
export const encodeUtf8Into = (text: string, room: Uint8Array): number => encoder.encodeInto(text, room).written

/** @throws TypeError when the bytes are not valid UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes)

/** Up to this length, text is made from its character codes: a call into the runtime takes longer. */
export const shortMax = 64
const shortCodes = Array.from({ length: shortMax + 1 }, (_, length) => Array.from({ length }, () => 0))

/** Room for so many character codes, at most `shortMax`, for `textOf` at once: it is shared. */
export const codesFor = (length: number): number[] => shortCodes[length] as number[]

export const textOf = (codes: readonly number[]): string => String.fromCharCode(...codes)

/** The bytes from `from` up to `to` as text; `undefined` if there are many of them or one is not ASCII. */
export function shortAscii(bytes: Uint8Array, from: number, to: number): string | undefined {
  const length = to - from
  if (length > shortMax) return undefined
  const codes = codesFor(length)
  for (let i = 0; i < length; i++) {
    const byte = bytes[from + i] as number
    if (byte > 0x7f) return undefined
    codes[i] = byte
  }
  return textOf(codes)
}

/** Decodes the bytes from `from` up to `to`. @throws TypeError when they are not valid UTF-8. */
export const decodeUtf8Range = (bytes: Uint8Array, from: number, to: number): string =>
  shortAscii(bytes, from, to) ?? decoder.decode(bytes.subarray(from, to))

/** False for text with half a surrogate pair, which UTF-8 cannot encode. */
export const isWellFormed = (text: string): boolean => text.isWellFormed()
