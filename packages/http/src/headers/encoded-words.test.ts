import { validateHeaderValue } from 'node:http'
import { decodeWords } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { encodeWords } from './encoded-words.ts'

/** What S3 was recorded to give back for metadata: Q where most of it is ASCII, else base64. */
const recorded = [
  ['test_—_file%E2%80%94_é_2?.pdf', '=?UTF-8?Q?test=5F=E2=80=94=5Ffile%E2%80%94=5F=C3=A9=5F2=3F.pdf?='],
  ['ÄMÄZÕÑ S3', '=?UTF-8?Q?=C3=84M=C3=84Z=C3=95=C3=91_S3?='],
  ['\u0000\u0001\u0002\u0003', '=?UTF-8?B?AAECAw==?='],
  ['\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd', '=?UTF-8?B?77+977+977+977+977+977+977+9?='],
  ['\ufffda\ufffd', '=?UTF-8?B?77+9Ye+/vQ==?='],
  ['!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~ \t', '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~ \t'],
] as const

describe('encodeWords', () => {
  it.each(recorded)('writes %j as S3 does', (text, written) => {
    expect(encodeWords(text)).toBe(written)
    expect(decodeWords(written)).toBe(text)
  })

  it.each(['plain', 'ÄMÄZÕÑ', 'a\r\nb: c', '\0', '\ud800', '🌍'.repeat(100)])(
    'makes of %j what a header can carry',
    (text) => {
      expect(() => validateHeaderValue('h', encodeWords(text))).not.toThrow()
    },
  )

  it.each([`x${'🌍ä'.repeat(60)}`, `${'plain words, '.repeat(20)}ä🌍 ${'and more '.repeat(20)}`])(
    'writes words of at most 75 characters that cut none',
    (text) => {
      const words = encodeWords(text).split(' ')
      expect(words.length).toBeGreaterThan(1)
      for (const word of words) {
        expect(word.length).toBeLessThanOrEqual(75)
        expect(decodeWords(word)).not.toContain('\ufffd')
      }
      expect(decodeWords(words.join(' '))).toBe(text)
    },
  )
})
