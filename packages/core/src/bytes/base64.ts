/** Base64 without the runtime, because browsers and Node offer different functions. */
const standard = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const values = new Map(Array.from(standard, (character, value) => [character, value]))

/** Standard alphabet with padding: the form of S3 checksums. */
export function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const rest = bytes.length - i
    const word = ((bytes[i] as number) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
    text += standard.charAt(word >> 18) + standard.charAt((word >> 12) & 63)
    text += rest > 1 ? standard.charAt((word >> 6) & 63) : '='
    text += rest > 2 ? standard.charAt(word & 63) : '='
  }
  return text
}

/** `undefined` unless the text is padded standard base64, exactly as `toBase64` would write it. */
export function fromBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const bytes = new Uint8Array((text.length / 4) * 3 - padding)
  for (let i = 0, at = 0; i < text.length; i += 4) {
    let word = 0
    for (let j = 0; j < 4; j++) {
      const character = text.charAt(i + j)
      const value = character === '=' && i + j >= text.length - padding ? 0 : values.get(character)
      if (value === undefined) return undefined
      word = (word << 6) | value
    }
    for (let shift = 16; shift >= 0 && at < bytes.length; shift -= 8) bytes[at++] = (word >> shift) & 0xff
  }
  return toBase64(bytes) === text ? bytes : undefined
}
