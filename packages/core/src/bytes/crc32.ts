/** CRC-32 (IEEE) of short bytes. Calling into the runtime takes longer than computing the CRC of a row here. */

/** `tables[n][byte]` is the CRC of the byte with n zero bytes behind it. */
const tables = Array.from({ length: 8 }, () => new Int32Array(256))
const [t0, t1, t2, t3, t4, t5, t6, t7] = tables as [
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
]
for (let byte = 0; byte < 256; byte++) {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  t0[byte] = crc
}
for (let n = 1; n < 8; n++) {
  const [before, table] = [tables[n - 1] as Int32Array, tables[n] as Int32Array]
  for (let byte = 0; byte < 256; byte++) {
    const crc = before[byte] as number
    table[byte] = (crc >>> 8) ^ (t0[crc & 0xff] as number)
  }
}

/** The CRC of the bytes from `from` on, as an unsigned 32-bit number; `seed` continues an earlier one. */
export function shortCrc32(bytes: Uint8Array, from: number, seed: number): number {
  let crc = ~seed
  let at = from
  for (; at + 8 <= bytes.length; at += 8) {
    crc ^=
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24)
    crc =
      (t7[crc & 0xff] as number) ^
      (t6[(crc >>> 8) & 0xff] as number) ^
      (t5[(crc >>> 16) & 0xff] as number) ^
      (t4[crc >>> 24] as number) ^
      (t3[bytes[at + 4] as number] as number) ^
      (t2[bytes[at + 5] as number] as number) ^
      (t1[bytes[at + 6] as number] as number) ^
      (t0[bytes[at + 7] as number] as number)
  }
  for (; at < bytes.length; at++) crc = (crc >>> 8) ^ (t0[(crc ^ (bytes[at] as number)) & 0xff] as number)
  return ~crc >>> 0
}
