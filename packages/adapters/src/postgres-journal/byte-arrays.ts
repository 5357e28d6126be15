/** Bytes as PostgreSQL takes and returns them. */

const byteaOid = 17
const headerBytes = 20

/**
 * A `bytea[]` in the binary form of the protocol: pg sends a `Buffer` as it is. As text, the bytes would take twice the
 * room.
 */
export function byteArray(values: readonly (Uint8Array | null)[]): Buffer {
  let size = values.length === 0 ? 12 : headerBytes
  for (const value of values) size += 4 + (value?.length ?? 0)
  const bytes = Buffer.allocUnsafe(size)
  bytes.writeInt32BE(values.length === 0 ? 0 : 1, 0)
  bytes.writeInt32BE(values.includes(null) ? 1 : 0, 4)
  bytes.writeInt32BE(byteaOid, 8)
  if (values.length === 0) return bytes
  bytes.writeInt32BE(values.length, 12)
  bytes.writeInt32BE(1, 16)
  let at = headerBytes
  for (const value of values) {
    at = bytes.writeInt32BE(value === null ? -1 : value.length, at)
    if (value === null) continue
    bytes.set(value, at)
    at += value.length
  }
  return bytes
}

/** The same memory as a `Buffer`. */
export const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length)

/** Bytes with a buffer of their own: a part of Node's pool would keep all of it in memory. */
export function bytesOfHex(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2)
  bufferOf(bytes).write(hex, 'hex')
  return bytes
}
