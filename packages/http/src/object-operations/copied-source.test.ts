import { describe, expect, it } from 'vitest'
import { isS3Error } from '../errors/errors.ts'
import { copySourceRange } from './copied-source.ts'

describe('copySourceRange', () => {
  it.each([
    ['bytes=0-0', { start: 0, end: 1 }],
    ['bytes=0-9', { start: 0, end: 10 }],
    ['bytes=9-9', { start: 9, end: 10 }],
  ])('reads %s of ten bytes', (header, range) => {
    expect(copySourceRange(header, 10)).toEqual(range)
  })

  it.each([
    ['bytes=0-10', 10],
    ['bytes=9-10', 10],
    [`bytes=0-${'9'.repeat(15)}`, 10],
  ])('refuses %s, which ends behind the last of %d bytes', (header, size) => {
    expect(() => copySourceRange(header, size)).toThrow(
      expect.objectContaining({
        code: 'InvalidArgument',
        message: `Range specified is not valid for source object of size: ${size}`,
        details: { ArgumentName: 'x-amz-copy-source-range', ArgumentValue: header },
      }),
    )
  })

  it.each([
    ['bytes=10-10', 10],
    ['bytes=10-12', 10],
    ['bytes=100-200', 10],
    ['bytes=0-0', 0],
  ])('refuses %s, which begins behind the last of %d bytes', (header, size) => {
    expect(() => copySourceRange(header, size)).toThrow(
      expect.objectContaining({
        code: 'InvalidRequest',
        message: 'The specified copy range is invalid for the source object size',
      }),
    )
  })

  it.each(['bytes=5-4', 'bytes=0-', 'bytes=-5', '0-5', 'bytes=a-b', 'bytes=0-1,3-4', '', `bytes=0-${'9'.repeat(30)}`])(
    'refuses %j of ten bytes',
    (header) => {
      expect(() => copySourceRange(header, 10)).toThrow(
        expect.toSatisfy((error: unknown) => isS3Error(error, 'InvalidArgument')),
      )
    },
  )
})
