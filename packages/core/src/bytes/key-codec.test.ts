import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareBytes, upperBound } from './bytes.ts'
import { encodeUtf8 } from './utf8.ts'
import { KeyReader, KeyWriter } from './key-codec.ts'
import { partTable, rangeOf, versionTable } from '../views/tables.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 20 })
const nasty = fc.array(fc.constantFrom('\u0000', '\u0001', '\u00ff', 'a', 'b', '\u{10FFFF}', '\uE000'), {
  maxLength: 8,
})
const anyText = fc.oneof(
  text,
  nasty.map((parts) => parts.join('')),
)
const closed = (value: string) => new KeyWriter(1).text(value).finish()

describe('row keys', () => {
  it('sort as the UTF-8 bytes of their text do', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        const expected = Math.sign(compareBytes(encodeUtf8(a), encodeUtf8(b)))
        expect(Math.sign(compareBytes(closed(a), closed(b)))).toBe(expected)
      }),
      { numRuns: 5000 },
    )
  })

  it('sort by their first component before the second', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, anyText, (a, b, c, d) => {
        const [x, y] = [new KeyWriter(1).text(a).text(c).finish(), new KeyWriter(1).text(b).text(d).finish()]
        const first = compareBytes(encodeUtf8(a), encodeUtf8(b))
        const expected = first === 0 ? compareBytes(encodeUtf8(c), encodeUtf8(d)) : first
        expect(Math.sign(compareBytes(x, y))).toBe(Math.sign(expected))
      }),
      { numRuns: 5000 },
    )
  })

  it('are the same when several are formed at a time', () => {
    const [a, b] = [new KeyWriter(1).text('a'), new KeyWriter(2).text('bb')]
    expect([a.seq(1).finish(), b.seq(2).finish()]).toEqual([
      new KeyWriter(1).text('a').seq(1).finish(),
      new KeyWriter(2).text('bb').seq(2).finish(),
    ])
  })

  it('that are cut off, or have a position beyond all logs, are refused as damaged', () => {
    const damaged = expect.objectContaining({ code: 'RowCorrupt' }) as unknown
    const key = new KeyWriter(7).seq(1).number16(2).finish()
    const beyond = new KeyWriter(7).seq(1).finish().with(1, 8)
    const readAll = (bytes: Uint8Array) => {
      const reader = new KeyReader(bytes)
      return [reader.seq(), reader.number16()]
    }
    for (let length = 1; length < key.length; length++) {
      expect(() => readAll(key.subarray(0, length))).toThrow(damaged)
    }
    expect(readAll(key)).toEqual([1, 2])
    expect(() => new KeyReader(beyond).seq()).toThrow(damaged)
    expect(() => new KeyReader(new KeyWriter(7).seqDescending(1).finish().with(1, 0)).seqDescending()).toThrow(damaged)
  })

  it('come apart into what they were made of', () => {
    fc.assert(
      fc.property(anyText, anyText, fc.nat(Number.MAX_SAFE_INTEGER), fc.nat(65535), (a, b, seq, number) => {
        const key = new KeyWriter(7).text(a).text(b).seq(seq).seqDescending(seq).number16(number).finish()
        const reader = new KeyReader(key)
        expect([reader.text(), reader.text(), reader.seq(), reader.seqDescending(), reader.number16()]).toEqual([
          a,
          b,
          seq,
          seq,
          number,
        ])
      }),
    )
  })

  it('of texts with a prefix, and only those, lie in the range of the prefix', () => {
    fc.assert(
      fc.property(anyText, anyText, (prefix, other) => {
        const { gte, lt } = rangeOf(new KeyWriter(1).openText(prefix))
        const key = closed(other)
        expect(compareBytes(gte, key) <= 0 && compareBytes(key, lt) < 0).toBe(other.startsWith(prefix))
      }),
      { numRuns: 5000 },
    )
  })

  it('put the newest version of a key first and parts in the order of their numbers', () => {
    const version = (seq: number) => versionTable.key('b', 'k', seq).bytes
    expect(compareBytes(version(2), version(1))).toBeLessThan(0)
    expect(compareBytes(version(2 ** 40), version(2 ** 32))).toBeLessThan(0)
    expect(compareBytes(partTable.key(1, 2).bytes, partTable.key(1, 10).bytes)).toBeLessThan(0)
    expect(partTable.number(partTable.key(5, 10_000).bytes)).toBe(10_000)
  })

  it('have a bound above every key that starts with them', () => {
    expect(upperBound(Uint8Array.of(1, 0xff, 0xff))).toEqual(Uint8Array.of(2))
    expect(() => upperBound(Uint8Array.of(0xff))).toThrow(TypeError)
  })
})
