import { validateHeaderName, validateHeaderValue } from 'node:http'
import { describe, expect, it } from 'vitest'
import { objectInfo as info } from './object-context.fixture.ts'
import { objectHeaders } from './object-headers.ts'

describe('objectHeaders', () => {
  it('gives the headers of every object', () => {
    expect(objectHeaders(info({}))).toEqual({
      'accept-ranges': 'bytes',
      etag: '"abc"',
      'last-modified': 'Sat, 28 Feb 2026 23:59:59 GMT',
      'content-type': 'binary/octet-stream',
    })
  })

  it('names the null version where versioning was ever set, and only there', () => {
    expect(objectHeaders(info({}))).not.toHaveProperty('x-amz-version-id')
    expect(objectHeaders(info({ bucketVersioning: 'Suspended' }))).toHaveProperty('x-amz-version-id', 'null')
  })

  it('encodes metadata beyond ASCII and leaves encoded words alone', () => {
    const headers = objectHeaders(info({ metadata: { a: 'Ä', b: '=?UTF-8?B?w4Q=?=' } }))
    expect(headers).toMatchObject({ 'x-amz-meta-a': '=?UTF-8?B?w4Q=?=', 'x-amz-meta-b': '=?UTF-8?B?w4Q=?=' })
  })

  it('gives headers that Node takes, whatever was stored in process', () => {
    const odd = 'a\r\nb\0☃'
    const headers = objectHeaders(
      info({
        contentType: odd,
        contentEncoding: odd,
        contentLanguage: odd,
        contentDisposition: odd,
        cacheControl: odd,
        expires: odd,
        websiteRedirectLocation: odd,
        metadata: { fine: odd, né: 'x', 'a b': 'x', '': 'x' },
      }),
    )
    for (const [name, value] of Object.entries(headers)) {
      expect(() => validateHeaderName(name)).not.toThrow()
      expect(() => validateHeaderValue(name, value)).not.toThrow()
    }
    expect(headers['x-amz-missing-meta']).toBe('3')
  })
})
