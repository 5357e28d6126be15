import { describe, expect, it } from 'vitest'
import { LevelFormatError } from './level-reader.ts'
import { unsnappy } from './snappy.ts'

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')
const of = (...parts: readonly (number | string)[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.of(part) : Buffer.from(part, 'latin1'))))

describe('a block that Snappy compressed', () => {
  it.each([
    { what: 'nothing', bytes: of(0), whole: '' },
    { what: 'what is given', bytes: of(5, 4 << 2, 'varve'), whole: 'varve' },
    { what: 'what is given, its length in a byte', bytes: of(70, 60 << 2, 69, 'a'.repeat(70)), whole: 'a'.repeat(70) },
    { what: 'its length in two', bytes: of(0xac, 0x02, 61 << 2, 0x2b, 0x01, 'b'.repeat(300)), whole: 'b'.repeat(300) },
    { what: 'what came before, near', bytes: of(9, 4 << 2, 'varve', 1, 5), whole: 'varvevarv' },
    { what: 'what came before, over itself', bytes: of(8, 0, 'x', ((7 - 1) << 2) | 2, 1, 0), whole: 'xxxxxxxx' },
    { what: 'what came before, far', bytes: of(6, 4 << 2, 'varve', 3, 5, 0, 0, 0), whole: 'varvev' },
  ])('gives $what', ({ bytes, whole }) => {
    expect(text(unsnappy(bytes))).toBe(whole)
  })

  it.each([
    { what: 'no length', bytes: of() },
    { what: 'less than its length', bytes: of(6, 4 << 2, 'varve') },
    { what: 'more than its length', bytes: of(4, 4 << 2, 'varve') },
    { what: 'a piece that ends early', bytes: of(5, 4 << 2, 'var') },
    { what: 'a copy of what comes before the start', bytes: of(9, 4 << 2, 'varve', 1, 6) },
    { what: 'a copy of itself', bytes: of(9, 4 << 2, 'varve', 1, 0) },
    { what: 'a length that no block has', bytes: of(0xff, 0xff, 0xff, 0xff, 0x0f, 0, 'x') },
    { what: 'a length that no number holds', bytes: new Uint8Array(12).fill(0xff) },
  ])('is refused with $what', ({ bytes }) => {
    expect(() => unsnappy(bytes)).toThrow(LevelFormatError)
  })
})
