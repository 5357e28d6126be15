import { describe, expect, it } from 'vitest'
import { bytesInWord, decodeHeaderText, decodeWords, textOfHeaderBytes } from './header-text.ts'

describe('decodeHeaderText', () => {
  it.each([
    ['plain', 'plain'],
    ['Zo\u00c3\u00ab', 'Zoë'],
    ['\u00f0\u009f\u008c\u008d', '🌍'],
    ['\u00ef\u00bb\u00bfmark', '\ufeffmark'],
  ])('reads the bytes of %j as UTF-8', (raw, text) => {
    expect(decodeHeaderText(raw)).toBe(text)
  })

  it('takes bytes that are not UTF-8 for ISO 8859-1', () => {
    expect(decodeHeaderText('caf\u00e9')).toBe('café')
  })

  it('leaves text that is no bytes as it is', () => {
    expect(decodeHeaderText('☃')).toBe('☃')
  })
})

describe('the text of a header that keeps its bytes', () => {
  const utf8 = (text: string) => String.fromCharCode(...new TextEncoder().encode(text))
  const bytesOf = (text: string) => bytesInWord(text) ?? utf8(text)
  const word = '=?ISO-8859-1?Q?caf=E9?='

  it.each([
    ['plain', 'plain'],
    ['caf\u00c3\u00a9', 'café'],
    ['caf\u00e9', word],
    ['a b_c?=\t\u00ff', '=?ISO-8859-1?Q?a_b=5Fc=3F=3D=09=FF?='],
    ['=?UTF-8?Q?=C3=A9?=', '=?UTF-8?Q?=C3=A9?='],
    ['=?ISO-8859-1?Q?plain?=', '=?ISO-8859-1?Q?plain?='],
    [word, '=?ISO-8859-1?Q?=3D=3FISO-8859-1=3FQ=3Fcaf=3DE9=3F=3D?='],
  ])('of %j is %j', (raw, text) => {
    expect(textOfHeaderBytes(raw)).toBe(text)
    expect(bytesOf(text)).toBe(raw)
  })

  it('keeps all bytes', () => {
    let state = 1
    const below = (limit: number): number => {
      state = (state * 48_271) % 2_147_483_647
      return state % limit
    }
    const pieces = [word, '=?ISO-8859-1?Q?', '?=', '=E9', '\u00c3\u00a9', '\u00e9', '\u0085', '_', ' ', '\t', 'a', '=']
    for (let time = 0; time < 20_000; time++) {
      let raw = ''
      for (let left = below(6); left >= 0; left--) {
        raw += below(4) === 0 ? String.fromCharCode(0x80 + below(0x80)) : pieces[below(pieces.length)]
      }
      for (let nested = below(3); nested > 0; nested--) raw = textOfHeaderBytes(raw)
      if (/[^\u0000-\u00ff]/.test(raw)) raw = utf8(raw)
      expect(bytesOf(textOfHeaderBytes(raw))).toBe(raw)
    }
  })

  it.each(['=?ISO-8859-1?Q?a=0D=0Ab:=E9?=', '=?ISO-8859-1?Q?=00=E9?=', '=?iso-8859-1?q?=E9?=', '=?ISO-8859-1?Q?=e9?='])(
    'is not what a program set to %s',
    (text) => {
      expect(bytesInWord(text)).toBeUndefined()
    },
  )
})

describe('decodeWords', () => {
  it.each<readonly [written: string, text: string]>([
    ['=?UTF-8?Q?=C3=84M=C3=84Z=C3=95=C3=91_S3?=', 'ÄMÄZÕÑ S3'],
    ['=?UTF-8?B?AAECAw==?=', '\u0000\u0001\u0002\u0003'],
    ['=?UTF-8?B?77+9Ye+/vR==?=', '\ufffda\ufffd'],
    ['=?UTF-8?Q?actually-ascii?=', 'actually-ascii'],
    ['=?utf-8?b?YWJj?=', 'abc'],
    ['=?ISO-8859-1?Q?caf=e9?=', 'café'],
    ['before =?UTF-8?B?YWJj?= after', 'before abc after'],
    ['=?UTF-8?B?YWJj?= =?UTF-8?B?ZGVm?=', 'abcdef'],
    ['plain', 'plain'],
  ])('reads %j', (written, text) => {
    expect(decodeWords(written)).toBe(text)
  })

  it.each([
    '=?UTF-8?B?=GGG?=',
    '=?UTF-8?Q?=G1?=',
    '=?UTF-8?Q?=ff?=',
    '=?no-such?Q?a?=',
    '=?UTF-8?X?a?=',
    '=?UTF-8?Q?a',
    '=?',
  ])('leaves %j, which cannot be read, as it is', (text) => {
    expect(decodeWords(text)).toBe(text)
  })
})
