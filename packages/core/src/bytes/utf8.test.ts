import { describe, expect, it } from 'vitest'
import { decodeUtf8, decodeUtf8Range, encodeUtf8, shortAscii } from './utf8.ts'

describe('a range of bytes', () => {
  it('is decoded like a view of it, short or long', () => {
    for (const length of [0, 1, 2, 63, 64, 65, 300]) {
      const bytes = encodeUtf8(`ab${'x'.repeat(length)}é`)
      const end = bytes.length
      expect(decodeUtf8Range(bytes, 1, end)).toBe(decodeUtf8(bytes.subarray(1, end)))
      expect(decodeUtf8Range(bytes, 2, 2 + length)).toBe('x'.repeat(length))
    }
  })

  it('keeps nothing of the text that was decoded before', () => {
    expect(decodeUtf8Range(encodeUtf8('first'), 0, 5)).toBe('first')
    expect(decodeUtf8Range(encodeUtf8('other'), 0, 5)).toBe('other')
  })

  it('is refused if it cuts a character', () => {
    const bytes = encodeUtf8('aé')
    expect(() => decodeUtf8Range(bytes, 0, 2)).toThrow(TypeError)
    const long = encodeUtf8(`${'a'.repeat(80)}é`)
    expect(() => decodeUtf8Range(long, 0, 81)).toThrow(TypeError)
  })

  it('is short ASCII only with at most 64 bytes that are all ASCII', () => {
    for (const length of [0, 1, 32, 63, 64])
      expect(shortAscii(encodeUtf8('x'.repeat(length)), 0, length)).toBe('x'.repeat(length))
    expect(shortAscii(encodeUtf8('x'.repeat(65)), 0, 65)).toBeUndefined()
    expect(shortAscii(encodeUtf8('xé'), 0, 3)).toBeUndefined()
    expect(shortAscii(encodeUtf8('\x00\x7f'), 0, 2)).toBe('\x00\x7f')
  })
})
