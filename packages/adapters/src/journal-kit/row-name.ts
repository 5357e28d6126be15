/** A row's key with one character per byte, so that `<` is byte order: a key for maps. */
export const rowName = (key: Uint8Array): string =>
  Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')

/** The inverse of `rowName`. */
export function keyOf(name: string): Uint8Array {
  const key = new Uint8Array(name.length)
  for (let i = 0; i < name.length; i++) key[i] = name.charCodeAt(i)
  return key
}
