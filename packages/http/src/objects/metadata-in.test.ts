import { describe, expect, it } from 'vitest'
import { isS3Error } from '../errors/errors.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import { metadataOptions } from './metadata-in.ts'

const read = (headers: Readonly<Record<string, string>>) =>
  metadataOptions(createRequestHeaders(Object.entries(headers).flat()))

describe('metadataOptions', () => {
  it('keeps what S3 keeps and nothing else', () => {
    const headers = {
      'Content-Type': 'text/plain',
      'Content-Language': 'de',
      'Content-Disposition': 'attachment; filename="a"',
      'Cache-Control': 'no-store',
      Expires: 'never',
      'x-amz-website-redirect-location': '/elsewhere',
      'x-amz-meta-A': '1',
      'x-amz-meta-empty': '',
      'x-other': '2',
    }
    const { metadata, ...rest } = read(headers)
    expect(rest).toEqual({
      contentType: 'text/plain',
      contentLanguage: 'de',
      contentDisposition: 'attachment; filename="a"',
      cacheControl: 'no-store',
      expires: 'never',
      websiteRedirectLocation: '/elsewhere',
    })
    expect({ ...metadata }).toEqual({ a: '1', empty: '' })
  })

  it.each([
    ['aws-chunked', undefined],
    ['aws-chunked,gzip', 'gzip'],
    ['gzip, AWS-Chunked, br', 'gzip,br'],
    ['gzip, br', 'gzip, br'],
  ])('makes of Content-Encoding %s %s', (sent, kept) => {
    expect(read({ 'content-encoding': sent }).contentEncoding).toBe(kept)
  })

  it('joins repeated metadata with a bare comma', () => {
    const headers = createRequestHeaders(['x-amz-meta-a', '1', 'X-Amz-Meta-A', '2'])
    expect(metadataOptions(headers).metadata?.['a']).toBe('1,2')
  })

  it('reads encoded words in metadata, and nowhere else', () => {
    const word = '=?UTF-8?Q?=C3=A4?='
    const { metadata, cacheControl } = read({ 'x-amz-meta-a': word, 'cache-control': word })
    expect([metadata?.['a'], cacheControl]).toEqual(['ä', word])
  })

  it('treats names of prototypes as data', () => {
    const { metadata } = read({ 'x-amz-meta-__proto__': 'x', 'x-amz-meta-constructor': 'y' })
    expect(Object.entries(metadata ?? {})).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ])
    expect(({} as { polluted?: string }).polluted).toBeUndefined()
  })

  it.each<Readonly<Record<string, string>>>([
    { 'x-amz-meta-': 'nameless' },
    { 'x-amz-meta-a': 'line\nline' },
    { 'cache-control': 'a\0' },
  ])('refuses %j', (headers) => {
    expect(() => read(headers)).toThrow(expect.toSatisfy((error: unknown) => isS3Error(error, 'InvalidArgument')))
  })

  it('refuses redirects that lead nowhere', () => {
    expect(() => read({ 'x-amz-website-redirect-location': 'javascript:alert(1)' })).toThrow(
      expect.toSatisfy((error: unknown) => isS3Error(error, 'InvalidRedirectLocation')),
    )
  })
})
