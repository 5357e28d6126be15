/** Byte order is the only order there is: keys sort by their UTF-8 bytes, never by UTF-16 units. */

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

/** The smallest key above every key that starts with `prefix`. */
export function upperBound(prefix: Uint8Array): Uint8Array {
  let end = prefix.length
  while (end > 0 && prefix[end - 1] === 0xff) end--
  if (end === 0) throw new TypeError('A prefix of 0xff bytes has no upper bound.')
  const bound = prefix.slice(0, end)
  bound[end - 1] = (bound[end - 1] as number) + 1
  return bound
}

/** One character per byte, so that `<` on the result is byte order: a key for maps. */
export function byteString(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 4096) text += String.fromCharCode(...bytes.subarray(i, i + 4096))
  return text
}

/** The greater of two places. */
export const later = (a: Uint8Array, b: Uint8Array): Uint8Array => (compareBytes(a, b) < 0 ? b : a)
