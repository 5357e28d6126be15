/** The same memory as a plain `Uint8Array`. A Buffer would keep its own methods, such as its different `slice`. */
export const plainBytes = (bytes: Uint8Array): Uint8Array =>
  new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
