import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { combineCrcs } from './combine-crc.ts'

const digest = (bytes: Uint8Array) => {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32BE(crc32(bytes))
  return Uint8Array.from(buffer)
}

describe('combined CRCs', () => {
  it('are the CRC of the pieces joined, however they were cut', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 6 }), (pieces) => {
        const whole = combineCrcs(
          'CRC32',
          pieces.map((piece) => ({ digest: digest(piece), size: piece.length })),
        )
        expect(whole).toEqual(digest(Buffer.concat(pieces)))
      }),
    )
  })

  it('take ten thousand pieces of one length in well under a second', () => {
    const piece = { digest: digest(Buffer.from('x')), size: 8 * 1024 * 1024 }
    const before = performance.now()
    combineCrcs(
      'CRC64NVME',
      Array.from({ length: 10_000 }, () => ({ ...piece, digest: new Uint8Array(8).fill(7) })),
    )
    expect(performance.now() - before).toBeLessThan(2000)
  })
})
