import { validateHeaderValue } from 'node:http'
import { describe, expect, it } from 'vitest'
import { isS3Error } from '../errors/errors.ts'
import { decodeHeader, encodeHeader } from './header-text.ts'

const asSent = (text: string) => Buffer.from(text, 'utf8').toString('latin1')

describe('decodeHeader', () => {
  it.each(['plain', 'a\tb', 'ÄMÄZÕÑ S3', '🌍', '\ufeffmark'])('reads %j from its bytes', (text) => {
    expect(decodeHeader('h', asSent(text))).toBe(text)
  })

  it('takes bytes that are not UTF-8 for ISO 8859-1', () => {
    expect(decodeHeader('h', 'caf\xe9')).toBe('café')
  })

  it('leaves encoded words and text of a presigned query as they are', () => {
    expect(decodeHeader('h', '=?UTF-8?B?w4Q=?=')).toBe('=?UTF-8?B?w4Q=?=')
    expect(decodeHeader('h', '☃')).toBe('☃')
  })

  it.each(['a\nb', 'a\rb', 'a\0b', '\u007f', '\u001b'])('refuses %j', (raw) => {
    expect(() => decodeHeader('h', raw)).toThrow(
      expect.toSatisfy((error: unknown) => isS3Error(error, 'InvalidArgument')),
    )
  })
})

describe('encodeHeader', () => {
  it.each(['plain', 'ÄMÄZÕÑ', 'a\r\nb: c', '\0', '\ud800', '🌍'.repeat(100)])(
    'makes of %j what a header can carry',
    (text) => {
      expect(() => validateHeaderValue('h', encodeHeader(text))).not.toThrow()
    },
  )

  it('round-trips what decodeHeader reads', () => {
    for (const text of ['plain', 'ÄMÄZÕÑ S3', '🌍']) expect(decodeHeader('h', encodeHeader(text))).toBe(text)
  })
})
