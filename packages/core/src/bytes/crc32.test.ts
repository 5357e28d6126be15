import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hashing } from '../api/memory-ports.fixture.ts'
import { shortCrc32 } from './crc32.ts'

it('is the CRC that the runtime computes, wherever the bytes begin and whatever came before', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 70 }), fc.nat(9), fc.nat(2 ** 32 - 1), (bytes, from, seed) => {
      const start = Math.min(from, bytes.length - 1)
      expect(shortCrc32(bytes, start, seed)).toBe(hashing.crc32(bytes.subarray(start), seed))
    }),
  )
})
