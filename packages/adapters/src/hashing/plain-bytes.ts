/** The same memory without Node's own methods on it: a Buffer would be handed on as it is, and slices in its own way. */
export const plainBytes = (bytes: Uint8Array): Uint8Array =>
  new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
