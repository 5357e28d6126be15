import { validateHeaderValue } from 'node:http'
import { describe, expect, it } from 'vitest'
import { isS3Error } from '../errors/errors.ts'
import { parseQuery } from '../target/query-params.ts'
import { responseOverrides } from './response-overrides.ts'

describe('responseOverrides', () => {
  it('sets the six headers S3 lets a query set', () => {
    const names = ['content-type', 'content-language', 'expires', 'cache-control', 'content-disposition']
    const query = [...names, 'content-encoding'].map((name) => `response-${name}=x%20y`).join('&')
    const headers = responseOverrides(parseQuery(`${query}&response-etag=1&other=2`))
    expect(headers).toEqual(Object.fromEntries([...names, 'content-encoding'].map((name) => [name, 'x y'])))
  })

  it.each(['%0d%0aSet-Cookie:x', '%0a', '%00', '%7f', '%E2%98%83'])('refuses %s', (value) => {
    expect(() => responseOverrides(parseQuery(`response-content-disposition=${value}`))).toThrow(
      expect.toSatisfy((error: unknown) => isS3Error(error, 'InvalidArgument')),
    )
  })

  it('sends every other character of ISO 8859-1', () => {
    const { expires = '' } = responseOverrides(parseQuery('response-expires=%C3%A4%09%20~'))
    expect(expires).toBe('ä\t ~')
    expect(() => validateHeaderValue('expires', expires)).not.toThrow()
  })
})
