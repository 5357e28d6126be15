/** The key with one character per byte, so that `<` on the result is byte order. */
export const rowName = (key: Uint8Array): string =>
  Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')
