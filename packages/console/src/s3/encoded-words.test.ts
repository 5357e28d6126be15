import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeWords, encodeWords } from './encoded-words.ts'

describe('encoded words', () => {
  it('give back every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        fc.pre(!text.includes('=?') && !/\p{Surrogate}/u.test(text))
        expect(decodeWords(encodeWords(text))).toBe(text)
        expect(encodeWords(text)).toMatch(/^[\x20-\x7e]*$/)
      }),
    )
  })

  it.each([
    ['=?UTF-8?Q?Caf=C3=A9_au_lait?=', 'Café au lait'],
    ['before =?utf-8?b?w6k=?= after', 'before é after'],
    ['=?UTF-8?Q?=F0=9F?= =?UTF-8?Q?=98=80?=', '😀'],
    ['plain', 'plain'],
  ])('%s is %s', (encoded, text) => {
    expect(decodeWords(encoded)).toBe(text)
  })
})
