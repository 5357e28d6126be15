import { describe, expect, it } from 'vitest'
import { isS3Error } from '../errors/errors.ts'
import { objectContext } from '../objects/object-context.fixture.ts'
import { partOf } from './upload-params.ts'

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
