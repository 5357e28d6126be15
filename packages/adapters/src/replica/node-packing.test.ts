import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { nodePacking } from './node-packing.ts'

const { pack, unpack } = nodePacking

describe('packed bytes', () => {
  it.each([0, 1, 1000, 1_000_000])('of %i bytes are the same when they are unpacked', async (size) => {
    for (const bytes of [new Uint8Array(size), Uint8Array.from(randomBytes(size))]) {
      const packed = await pack(bytes)
      expect(Buffer.compare(await unpack(packed.form, packed.bytes, size), bytes)).toBe(0)
    }
  })

  it('stay as they are if they are packed already, also in part', async () => {
    const random = Uint8Array.from(randomBytes(256 * 1024))
    expect(await pack(random)).toEqual({ form: 'plain', bytes: random })
    const text = new TextEncoder().encode(JSON.stringify({ key: 'value', list: [1, 2, 3] }).repeat(5000))
    const mixed = Uint8Array.from([...random.subarray(0, 100_000), ...text])
    const packed = await pack(mixed)
    expect(packed.form).not.toBe('plain')
    expect(packed.bytes.length).toBeLessThan(120_000)
  })

  it('are refused when they are longer or shorter than they should be', async () => {
    const { form, bytes } = await pack(new Uint8Array(1000))
    for (const length of [0, 999, 1001]) await expect(unpack(form, bytes, length)).rejects.toThrow()
  })

  it('are refused when they are damaged or cut', async () => {
    const { form, bytes } = await pack(Uint8Array.from(randomBytes(1000)))
    await expect(unpack(form, bytes.subarray(0, 500), 1000)).rejects.toThrow()
    await expect(unpack('plain', bytes, 10)).rejects.toThrow()
  })
})
