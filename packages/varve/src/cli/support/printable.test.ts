import { describe, expect, it } from 'vitest'
import { printable } from './printable.ts'

describe('printable', () => {
  it('leaves text as it is, whatever the script', () => {
    expect(printable('photos/été 日本 👍 a\\b')).toBe('photos/été 日本 👍 a\\b')
  })

  it.each([
    ['\u001b[31m', String.raw`\x1b[31m`],
    ['a\nb\r\tc\0', String.raw`a\x0ab\x0d\x09c\x00`],
    ['\u007f\u009b1m', String.raw`\x7f\x9b1m`],
    ['a\u202Eb\u2066', String.raw`a\u{202e}b\u{2066}`],
    ['\u2028\u2029\uFEFF', String.raw`\u{2028}\u{2029}\u{feff}`],
    ['\uD800', String.raw`\u{d800}`],
    ['\u{E0041}', String.raw`\u{e0041}`],
  ])('shows %j as %s', (text, shown) => {
    expect(printable(text)).toBe(shown)
  })
})
