const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += digits[byte]
  return text
}

/** The value of a lower-case digit by its character code; 16 for other characters. */
const values = new Uint8Array(128).fill(16)
for (let value = 0; value < 16; value++) values[value.toString(16).charCodeAt(0)] = value

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
  if (text.length % 2 !== 0) throw notHex(text)
  let at = from
  for (let i = 0; i < text.length; i += 2) {
    const high = values[text.charCodeAt(i)] ?? 16
    const low = values[text.charCodeAt(i + 1)] ?? 16
    if ((high | low) > 15) throw notHex(text)
    bytes[at++] = (high << 4) | low
  }
  return at
}

const notHex = (text: string): TypeError => new TypeError(`Not hexadecimal: ${text}`)
