import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { headerLength, payloadOf } from '../bytes/frame.ts'
import { wtf8Length } from '../bytes/wtf8.ts'
import type { Codec } from './codec.ts'
import { RecordReader } from './record-reader.ts'
import { copyRecord, readRecord, writeRecord } from './record.ts'
import { base64, base64url, boolean, count, document, hex, literal, neighbouringText, text, word } from './scalars.ts'
import { list, optional, pair, struct, tagged } from './structures.ts'

const written = <T>(codec: Codec<T>, value: T): Uint8Array => writeRecord((to) => codec.write(to, value))
const bytesOf = <T>(codec: Codec<T>, value: T): number[] => [...payloadOf(written(codec, value))]

function readBack<T>(codec: Codec<T>, value: T): T {
  const from = readRecord(written(codec, value))
  const read = codec.read(from)
  from.end()
  return read
}

const read = <T>(codec: Codec<T>, ...bytes: readonly number[]): T =>
  codec.read(new RecordReader(Uint8Array.from(bytes), 0))

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc
    .array(fc.oneof(fc.nat(0xffff), fc.integer({ min: 0xd7f0, max: 0xe010 })), { maxLength: 200 })
    .map((units) => String.fromCharCode(...units)),
)

describe('a number', () => {
  it('is read as it was written, in as few bytes as it needs', () => {
    fc.assert(
      fc.property(fc.oneof(fc.maxSafeNat(), fc.nat(2 ** 31 - 1), fc.nat(300)), (value) => {
        expect(readBack(count, value)).toBe(value)
        expect(bytesOf(count, value)).toHaveLength(Math.max(1, Math.ceil(value.toString(2).length / 7)))
      }),
    )
    for (const value of [0, 127, 128, 2 ** 28 - 1, 2 ** 28, 2 ** 32, 2 ** 49, Number.MAX_SAFE_INTEGER]) {
      expect(readBack(count, value)).toBe(value)
    }
  })

  it.each([
    ['that is cut', [0x80]],
    ['with zeros in front', [0x81, 0x00]],
    ['above 2^53', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x10]],
    ['that does not end', Array<number>(200).fill(0x80)],
    ['that is far too long', [...Array<number>(200).fill(0x80), 1]],
  ])('%s is refused', (_, bytes) => {
    expect(() => read(count, ...bytes)).toThrow()
  })
})

describe('a text', () => {
  it('is read as it was written, whatever it is, in each form', () => {
    fc.assert(
      fc.property(anyText, (value) => {
        for (const codec of [text, hex, base64, base64url]) expect(readBack(codec, value)).toBe(value)
        expect(payloadOf(written(text, value)).length).toBe(
          wtf8Length(value) + bytesOf(count, wtf8Length(value)).length,
        )
      }),
      { numRuns: 1000 },
    )
    for (const value of ['é'.repeat(48), 'é'.repeat(49), 'a'.repeat(49), `${'a'.repeat(49)}é`, 'x'.repeat(500_000)]) {
      expect(readBack(text, value)).toBe(value)
      expect(readBack(hex, value)).toBe(value)
    }
  })

  it('is UTF-8, also in place of half a pair', () => {
    expect(bytesOf(text, 'é€')).toEqual([5, ...Buffer.from('é€')])
    expect(bytesOf(text, '\ud800')).toEqual([3, 0xed, 0xa0, 0x80])
    expect(() => read(text, 6, 0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80)).toThrow('A pair in halves.')
    expect(() => read(text, 1, 0xff)).toThrow()
    expect(() => read(text, 4, 0xed, 0xa0, 0x80, 0xff)).toThrow()
  })

  it('of digits or base64 takes the bytes that it stands for', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (bytes) => {
        const buffer = Buffer.from(bytes)
        for (const [codec, form] of [
          [hex, 'hex'],
          [base64, 'base64'],
          [base64url, 'base64url'],
        ] as const) {
          expect(bytesOf(codec, buffer.toString(form))).toEqual([bytes.length * 2 + 1, ...bytes])
        }
      }),
    )
    expect(bytesOf(hex, 'AB')).toEqual([4, 0x41, 0x42])
    expect(bytesOf(base64, 'AB==')).toEqual([8, ...Buffer.from('AB==')])
  })
})

describe('a record', () => {
  it('stays as it was written while others are written', () => {
    const texts = Array.from({ length: 300 }, (_, i) => 'é€'.repeat(i * i).slice(0, i === 299 ? 200_000 : 900 + i))
    const frames = texts.map((value) => written(text, value))
    for (const [i, frame] of frames.entries()) expect(text.read(readRecord(frame))).toBe(texts[i])
  })

  it('can be copied, and has room for its header', () => {
    const frame = written(text, 'x')
    const copy = copyRecord(frame)
    copy[headerLength] = 7
    expect([...payloadOf(frame)]).toEqual([1, 0x78])
    expect([...frame.subarray(0, headerLength)]).toEqual([0, 0, 0, 0, 0])
  })

  it('is discarded if it cannot be written', () => {
    const fail = (): never => {
      throw new Error('enough')
    }
    expect(() => writeRecord((to) => (to.text('begun'), fail()))).toThrow('enough')
    expect(bytesOf(text, 'y')).toEqual([1, 0x79])
  })
})

describe('a structure', () => {
  interface Thing {
    readonly name: string
    readonly size?: number
    readonly isOld?: boolean
  }
  const thing = struct<Thing>({ name: text, size: optional(count), isOld: optional(boolean) })

  it('has a bit for each field that it need not have', () => {
    expect(bytesOf(thing, { name: 'a' })).toEqual([0, 1, 0x61])
    expect(bytesOf(thing, { name: 'a', size: 5 })).toEqual([1, 1, 0x61, 5])
    expect(bytesOf(thing, { name: 'a', isOld: false })).toEqual([2, 1, 0x61, 0])
    expect(read(thing, 3, 1, 0x61, 5, 1)).toEqual({ name: 'a', size: 5, isOld: true })
    expect(() => read(thing, 4, 1, 0x61)).toThrow('an unknown field')
    expect(() => read(thing, 2, 1, 0x61, 2)).toThrow('a boolean that is neither')
  })

  it('names the place of a value that it cannot express', () => {
    const nested = struct<{ readonly things: readonly Thing[] }>({ things: list(thing) })
    const wrong = { things: [{ name: 'a' }, { name: 5 as unknown as string }] }
    expect(() => written(nested, wrong)).toThrow(expect.objectContaining({ path: ['things', '[1]', 'name'] }))
  })

  it('reads lists of the length that they claim, if there is so much', () => {
    expect(readBack(list(pair(count)), [[1, 2]])).toEqual([[1, 2]])
    expect(() => read(list(count), 3, 1, 1)).toThrow('too long')
    expect(() => read(list(count), 0xff, 0xff, 0xff, 0x7f, 1)).toThrow('too long')
  })

  it('reads kinds and words by their place, and unknown words as text', () => {
    type Shape = { readonly kind: 'dot' } | { readonly kind: 'line'; readonly length: number }
    const shape = tagged<Shape, 'kind'>('kind', { dot: struct<{}>({}), line: struct({ length: count }) })
    expect(bytesOf(shape, { kind: 'line', length: 3 })).toEqual([1, 3])
    expect(readBack(shape, { kind: 'dot' })).toEqual({ kind: 'dot' })
    expect(() => read(shape, 2)).toThrow('an unknown kind')
    const colour = word<string>('red', 'green')
    expect([bytesOf(colour, 'green'), bytesOf(colour, 'blue')]).toEqual([[2], [0, 4, ...Buffer.from('blue')]])
    expect(() => read(colour, 3)).toThrow('an unknown word')
    const sign = literal('plus', 'minus')
    expect([bytesOf(sign, 'minus'), readBack(sign, 'plus')]).toEqual([[2], 'plus'])
    expect(() => written(sign, 'times' as 'plus')).toThrow('must be one of plus, minus')
    for (const wrong of [0, 3]) expect(() => read(sign, wrong)).toThrow('an unknown word')
  })

  it('reads texts that neighbours share as any other text', () => {
    const shared = neighbouringText()
    fc.assert(
      fc.property(fc.array(fc.constantFrom('', 'a', 'b', 'ab', 'bü', '\ud800', 'long'.repeat(99))), (texts) => {
        expect(texts.map((one) => readBack(shared, one))).toEqual(texts)
      }),
    )
    expect(bytesOf(shared, 'ab')).toEqual(bytesOf(text, 'ab'))
    expect(readBack(shared, 'ab')).toBe('ab')
    expect(() => read(shared, 2, 0x61, 0xff)).toThrow()
    expect(() => read(shared, 2, 0x61)).toThrow('no more bytes')
    expect(readBack(shared, 'ab')).toBe('ab')
  })

  it('reads documents that are values of JSON', () => {
    expect(readBack(document, { a: [1, { b: 'ü' }] })).toEqual({ a: [1, { b: 'ü' }] })
    for (const wrong of [undefined, null, new Date(), { a: -0 }, { a: [undefined] }, () => 1]) {
      expect(() => written(document, wrong)).toThrow()
    }
    expect(() => read(document, 1, 0x7b)).toThrow()
    expect(() => read(document, 4, ...Buffer.from('null'))).toThrow()
  })
})
