/** Compares bytes. It is the only order of keys: they sort by their UTF-8 bytes, never by UTF-16 units. */

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const difference = (a[i] as number) - (b[i] as number)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

export function concatBytes(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((total, chunk) => total + chunk.length, 0))
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.length
  }
  return whole
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** The smallest key above every key that starts with `prefix`. */
export function upperBound(prefix: Uint8Array): Uint8Array {
  let end = prefix.length
  while (end > 0 && prefix[end - 1] === 0xff) end--
  if (end === 0) throw new TypeError('A prefix of 0xff bytes has no upper bound.')
  // Not `slice`: that of a Buffer shares its bytes.
  const bound = new Uint8Array(prefix.subarray(0, end))
  bound[end - 1] = (bound[end - 1] as number) + 1
  return bound
}

/** The number of bytes per call: few enough that the arguments do not grow the stack much. */
const runBytes = 4096

/** `Reflect.apply` takes the bytes directly; spreading them would first create an array. */
const textOf = (bytes: Uint8Array): string => Reflect.apply(String.fromCharCode, null, bytes) as string

/** One character per byte, so that `<` compares by bytes. Usable as a key of maps. */
export function byteString(bytes: Uint8Array): string {
  if (bytes.length <= runBytes) return textOf(bytes)
  let text = ''
  for (let i = 0; i < bytes.length; i += runBytes) text += textOf(bytes.subarray(i, i + runBytes))
  return text
}

/** The greater of two keys. */
export const later = (a: Uint8Array, b: Uint8Array): Uint8Array => (compareBytes(a, b) < 0 ? b : a)

/** The inverse of `byteString`. */
export function bytesOfString(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}

/** Whether the bytes from `from` up to `to` are these. */
export function sameRange(bytes: Uint8Array, from: number, to: number, these: Uint8Array): boolean {
  if (to - from !== these.length) return false
  for (let i = 0; i < these.length; i++) if (bytes[from + i] !== these[i]) return false
  return true
}
