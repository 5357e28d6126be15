/** The checksum that LevelDB stores: a masked CRC-32C. The mask allows a checksum over data that contains checksums. */
const castagnoli = 0x82f63b78
const maskDelta = 0xa282ead8

export type MaskedCrc = (bytes: Uint8Array) => number

let loaded: Promise<MaskedCrc> | undefined

/** Loads its WebAssembly once in a process. */
export const maskedCrc = (): Promise<MaskedCrc> => (loaded ??= load())

async function load(): Promise<MaskedCrc> {
  const { createCRC32 } = await import('hash-wasm')
  const hasher = await createCRC32(castagnoli)
  return (bytes) => {
    const [a = 0, b = 0, c = 0, d = 0] = hasher.init().update(bytes).digest('binary')
    const crc = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
    return (((crc >>> 15) | (crc << 17)) + maskDelta) >>> 0
  }
}
