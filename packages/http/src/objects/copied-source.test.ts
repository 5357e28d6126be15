import { describe, expect, it } from 'vitest'
import { isS3Error } from '../errors.ts'
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
    ['bytes=10-10', 10],
    ['bytes=0-0', 0],
  ])('finds %s outside of %d bytes', (header, size) => {
    expect(() => copySourceRange(header, size)).toThrow(
      expect.objectContaining({
        code: 'InvalidRange',
        details: { ActualObjectSize: String(size), RangeRequested: header },
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
