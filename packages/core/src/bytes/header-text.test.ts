import { describe, expect, it } from 'vitest'
import { decodeHeaderText, decodeWords } from './header-text.ts'

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
