import { describe, expect, it } from 'vitest'
import { isS3Error } from '../errors.ts'
import { objectContext } from './object-context.fixture.ts'
import { countParam, partOf } from './upload-params.ts'

const invalid = expect.toSatisfy((error: unknown) => isS3Error(error, 'InvalidArgument'))

describe('partOf', () => {
  it('takes bucket and key from what was authorised', () => {
    const context = objectContext({ query: 'uploadId=u&partNumber=7' })
    expect(partOf(context)).toEqual({ upload: { bucket: 'b', key: 'k', uploadId: 'u' }, partNumber: 7 })
  })

  it.each(['', 'partNumber=', 'partNumber=0', 'partNumber=10001', 'partNumber=1&partNumber=2'])(
    'refuses %j',
    (query) => {
      expect(() => partOf(objectContext({ query }))).toThrow(invalid)
    },
  )
})

describe('countParam', () => {
  it.each([
    ['', undefined],
    ['n=', undefined],
    ['n=0', 0],
    ['n=2147483647', 2_147_483_647],
  ])('reads %j as %s', (query, count) => {
    expect(countParam(objectContext({ query }), 'n')).toBe(count)
  })

  it.each(['n=-1', 'n=1.5', 'n=1e9', 'n=x', 'n=2147483648', 'n=9007199254740993', 'n=1&n=2', 'n=+1'])(
    'refuses %j',
    (query) => {
      expect(() => countParam(objectContext({ query }), 'n')).toThrow(invalid)
    },
  )
})
