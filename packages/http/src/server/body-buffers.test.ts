import { expect, it } from 'vitest'
import { freeChunk, giveBuffer, takeBuffer } from './body-buffers.ts'

it('frees a chunk that has its memory to itself, and no other', () => {
  const own = Buffer.allocUnsafeSlow(64)
  freeChunk(own)
  expect(own.buffer.byteLength).toBe(0)
  const shared = Buffer.allocUnsafeSlow(64)
  freeChunk(shared.subarray(1))
  expect(shared.buffer.byteLength).toBe(64)
})

it('gives out small buffers while many are in use, and free ones again', () => {
  // Tests before this one in the process may have buffers in use.
  const many = Array.from({ length: 65 }, takeBuffer)
  const sizes = many.map(({ length }) => length)
  const large = sizes.filter((size) => size === 256 * 1024).length
  expect(large).toBeGreaterThan(0)
  expect(sizes).toEqual(sizes.map((_, i) => (i < large ? 256 : 64) * 1024))
  expect(sizes.at(-1)).toBe(64 * 1024)
  for (const buffer of many.slice(1)) giveBuffer(buffer, false)
  giveBuffer(many[0] as Uint8Array, true)
  expect(takeBuffer()).toBe(many[0])
  giveBuffer(many[0] as Uint8Array, false)
})
