import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareBytes } from './bytes.ts'
import { compareKeys } from './compare-keys.ts'
import { encodeUtf8 } from './utf8.ts'

it('compares keys as their UTF-8 bytes compare', () => {
  const key = fc.string({ unit: fc.constantFrom('', 'a', 'b', '\0', 'é', '\ud7ff', '\ue000', '\uffff', '😀', '𐀀') })
  fc.assert(
    fc.property(key, key, (a, b) => {
      expect(Math.sign(compareKeys(a, b))).toBe(Math.sign(compareBytes(encodeUtf8(a), encodeUtf8(b))))
    }),
  )
})
