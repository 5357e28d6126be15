import { crc32 } from 'node:zlib'
import { expect, it } from 'vitest'
import { bytesMax } from './crc-module.ts'
import { crcDigests } from './wasm-crc.ts'

const create = crcDigests({ polynomial: 0xedb88320n, bits: 32 })
const bytes = Buffer.from(Uint8Array.from({ length: 3 * bytesMax + 5 }, (_, i) => (i * 2_654_435_761) >>> 13))

const crcOf = (...chunks: readonly Uint8Array[]): number => {
  const digest = create()
  for (const chunk of chunks) digest.update(chunk)
  return Buffer.from(digest.finish()).readUInt32BE()
}

it('computes what zlib does, whatever the length', () => {
  for (const length of [
    ...Array.from({ length: 50 }, (_, i) => i),
    bytesMax - 1,
    bytesMax,
    bytesMax + 1,
    bytes.length,
  ]) {
    expect([length, crcOf(bytes.subarray(3, 3 + length))]).toEqual([length, crc32(bytes.subarray(3, 3 + length))])
  }
})

it('continues after any chunk', () => {
  for (const at of [1, 15, 16, 17, 4096, bytesMax + 7]) {
    expect(crcOf(bytes.subarray(0, at), bytes.subarray(at))).toBe(crc32(bytes))
  }
})
