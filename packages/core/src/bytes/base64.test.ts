import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromBase64, toBase64 } from './base64.ts'
import { fromHex, toHex } from './hex.ts'

describe('base64 and hex', () => {
  it('agree with the runtime both ways', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const buffer = Buffer.from(bytes)
        expect(toBase64(bytes)).toBe(buffer.toString('base64'))
        expect(toHex(bytes)).toBe(buffer.toString('hex'))
        expect(fromBase64(toBase64(bytes))).toEqual(Uint8Array.from(bytes))
        expect(fromHex(toHex(bytes))).toEqual(Uint8Array.from(bytes))
      }),
    )
  })

  it.each(['A', 'AAA', 'A===', 'AB==', '=AAA', 'AA=A', 'AAA ', 'AA-_', 'AAé='])('refuse %j as base64', (text) => {
    expect(fromBase64(text)).toBeUndefined()
  })

  it('refuse what is not lower-case hex', () => {
    for (const text of ['a', 'AA', 'zz', ' 00']) expect(() => fromHex(text)).toThrow(TypeError)
  })
})
