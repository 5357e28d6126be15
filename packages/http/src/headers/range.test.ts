import { describe, expect, it } from 'vitest'
import { parseRange } from './range.ts'

const largest = Number.MAX_SAFE_INTEGER

describe('parseRange', () => {
  it.each([
    ['bytes=0-8', { first: 0, last: 8 }],
    ['bytes=0-0', { first: 0, last: 0 }],
    ['bytes=1-', { first: 1 }],
    ['bytes=-2', { suffix: 2 }],
    ['bytes=-0', { suffix: 0 }],
    ['bytes=100-200', { first: 100, last: 200 }],
    ['Bytes=1-2', { first: 1, last: 2 }],
    ['bytes=-99999999999999999999', { suffix: largest }],
    ['bytes=99999999999999999999-', { first: largest }],
    [`bytes=0-${'9'.repeat(400)}`, { first: 0, last: largest }],
  ])('reads %s', (header, range) => {
    expect(parseRange(header)).toEqual(range)
  })

  it.each([
    undefined,
    '',
    'bytes=',
    'bytes=-',
    'bytes=1-0',
    'bytes=-1-',
    'bytes=0--1',
    'bytes=0-1,3-4',
    'bytes=a-b',
    'bytes=0x1-2',
    'bytes 0-1',
    'items=0-1',
    'bytes=1.5-2',
    'bytes=+1-2',
    'bytes= 1-2',
  ])('takes %s for no range, so that the whole is sent', (header) => {
    expect(parseRange(header)).toBeUndefined()
  })

  it('is quick on a long header of digits and dashes', () => {
    const start = performance.now()
    parseRange(`bytes=${'1'.repeat(500_000)}${'-'.repeat(500_000)}`)
    expect(performance.now() - start).toBeLessThan(100)
  })
})
