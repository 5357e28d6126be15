import { validateHeaderValue } from 'node:http'
import { describe, expect, it } from 'vitest'
import { parseQuery } from '../target/query-params.ts'
import { responseOverrides, unsignedOverride } from './response-overrides.ts'

describe('responseOverrides', () => {
  it('sets the six headers S3 lets a query set', () => {
    const names = ['content-type', 'content-language', 'expires', 'cache-control', 'content-disposition']
    const query = [...names, 'content-encoding'].map((name) => `response-${name}=x%20y`).join('&')
    const headers = responseOverrides(parseQuery(`${query}&response-etag=1&other=2`))
    expect(headers).toEqual(Object.fromEntries([...names, 'content-encoding'].map((name) => [name, 'x y'])))
  })

  it.each(['%0d%0aSet-Cookie:x', '%0a', '%00', '%7f', '%E2%98%83'])('refuses %s', (value) => {
    expect(() => responseOverrides(parseQuery(`response-content-disposition=${value}`))).toThrow(
      expect.objectContaining({
        code: 'InvalidArgument',
        details: { ArgumentName: 'response-content-disposition', ArgumentValue: decodeURIComponent(value) },
      }),
    )
  })

  it.each(['type', 'language', 'disposition', 'encoding'])('names content-%s if it is not signed', (name) => {
    const parameter = `response-content-${name}`
    expect(unsignedOverride(parseQuery(`versionId=1&${parameter}=a%20b`))).toMatchObject({
      code: 'InvalidRequest',
      details: { ArgumentName: parameter, ArgumentValue: 'a b' },
    })
    expect(unsignedOverride(parseQuery('versionId=1&response-etag=2'))).toBeUndefined()
  })

  it('sends every other character of ISO 8859-1', () => {
    const { expires = '' } = responseOverrides(parseQuery('response-expires=%C3%A4%09%20~'))
    expect(expires).toBe('ä\t ~')
    expect(() => validateHeaderValue('expires', expires)).not.toThrow()
  })
})
