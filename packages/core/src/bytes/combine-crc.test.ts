import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { combineCrcs } from './combine-crc.ts'

/** Bit by bit, as the definition has it. */
const reflected = (bits: number, polynomial: bigint) => (bytes: Uint8Array) => {
  const ones = (1n << BigInt(bits)) - 1n
  let crc = ones
  for (const byte of bytes) {
    crc ^= BigInt(byte)
    for (let i = 0; i < 8; i++) crc = (crc >> 1n) ^ (crc & 1n ? polynomial : 0n)
  }
  return Uint8Array.from(Buffer.from((crc ^ ones).toString(16).padStart(bits / 4, '0'), 'hex'))
}

const algorithms = [
  ['CRC32', reflected(32, 0xedb88320n), 'cbf43926'],
  ['CRC32C', reflected(32, 0x82f63b78n), 'e3069283'],
  ['CRC64NVME', reflected(64, 0x9a6c9329ac4bc9b5n), 'ae8b14860a799888'],
] as const

describe('combined CRCs', () => {
  it.each(algorithms)('of %s are the CRC of the pieces joined, however they were cut', (algorithm, digest, check) => {
    expect(Buffer.from(digest(Buffer.from('123456789'))).toString('hex')).toBe(check)
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 6 }), (pieces) => {
        const whole = combineCrcs(
          algorithm,
          pieces.map((piece) => ({ digest: digest(piece), size: piece.length })),
        )
        expect(whole).toEqual(digest(Buffer.concat(pieces)))
      }),
    )
  })

  it('are right for pieces of many bytes', () => {
    const [first, second] = [Buffer.alloc(3_000_001, 'a'), Buffer.alloc(5_000_003, 'b')]
    const digest = (bytes: Buffer) => {
      const value = Buffer.alloc(4)
      value.writeUInt32BE(crc32(bytes))
      return Uint8Array.from(value)
    }
    const pieces = [first, second].map((bytes) => ({ digest: digest(bytes), size: bytes.length }))
    expect(combineCrcs('CRC32', pieces)).toEqual(digest(Buffer.concat([first, second])))
  })

  it('take ten thousand pieces, each of another length, in well under a second', () => {
    const pieces = Array.from({ length: 10_000 }, (_, i) => ({
      digest: new Uint8Array(8).fill(i),
      size: 5 * 2 ** 20 + 7919 * i,
    }))
    const before = performance.now()
    combineCrcs('CRC64NVME', pieces)
    expect(performance.now() - before).toBeLessThan(2000)
  })
})
