import { describe, expect, it } from 'vitest'
import { parseQuery } from '../target/query-params.ts'
import { encodingParam, pageSizeParam } from './list-parameters.ts'

const size = (query: string) => pageSizeParam(parseQuery(query), 'max-keys')

describe('page sizes', () => {
  it.each([
    ['', 1000],
    ['max-keys=', 1000],
    ['max-keys=0', 0],
    ['max-keys=1', 1],
    ['max-keys=999', 999],
    ['max-keys=1000', 1000],
    ['max-keys=1001', 1000],
    ['max-keys=2147483647', 1000],
  ])('reads %j as %d', (query, expected) => {
    expect(size(query)).toBe(expected)
  })

  it.each(['-1', '1e3', '2147483648', '9007199254740993', 'blah', '1.0', '+1', '%201', '0x10', 'NaN'])(
    'refuses %s',
    (value) => {
      expect(() => size(`max-keys=${value}`)).toThrow(expect.objectContaining({ code: 'InvalidArgument' }))
    },
  )

  it('refuses to choose between two', () => {
    expect(() => size('max-keys=1&max-keys=2')).toThrow(expect.objectContaining({ code: 'InvalidArgument' }))
  })
})

describe('encoding-type', () => {
  it('knows url and nothing else, not even nothing', () => {
    expect(encodingParam(parseQuery('')).type).toBeUndefined()
    expect(encodingParam(parseQuery('encoding-type=url')).encode('a b/+')).toBe('a%20b/%2B')
    for (const value of ['', 'URL', 'xml']) {
      expect(() => encodingParam(parseQuery(`encoding-type=${value}`))).toThrow(
        expect.objectContaining({ code: 'InvalidArgument' }),
      )
    }
  })
})
