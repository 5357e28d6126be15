import { describe, expect, it } from 'vitest'
import { objectInfo } from './object-context.fixture.ts'
import { readAnswer } from './read-answer.ts'

const plain = { options: {}, overrides: {}, wantsChecksum: false }
const checksum = { algorithm: 'CRC32', type: 'FULL_OBJECT', value: 'AAAAAA==' } as const

describe('readAnswer', () => {
  it('is 200 and the whole length for a whole', () => {
    const { status, contentLength, headers } = readAnswer(objectInfo({ checksum }), plain)
    expect([status, contentLength]).toEqual([200, 10])
    expect(headers).not.toHaveProperty('content-range')
    expect(headers).not.toHaveProperty('x-amz-checksum-crc32')
  })

  it('is 206 with its place for a range, be it the whole', () => {
    const middle = readAnswer(objectInfo({ range: { start: 2, end: 5 } }), plain)
    expect(middle).toMatchObject({ status: 206, contentLength: 3, headers: { 'content-range': 'bytes 2-4/10' } })
    const whole = readAnswer(objectInfo({ range: { start: 0, end: 10 } }), plain)
    expect(whole).toMatchObject({ status: 206, contentLength: 10, headers: { 'content-range': 'bytes 0-9/10' } })
  })

  it('is 200 for the only part of an empty object', () => {
    const answer = readAnswer(objectInfo({ size: 0, range: { start: 0, end: 0 } }), plain)
    expect(answer).toMatchObject({ status: 200, contentLength: 0 })
    expect(answer.headers).not.toHaveProperty('content-range')
  })

  it('counts parts when a part was requested', () => {
    const info = objectInfo({ partsCount: 3, range: { start: 0, end: 5 } })
    expect(readAnswer(info, plain).headers).not.toHaveProperty('x-amz-mp-parts-count')
    const { headers } = readAnswer(info, { ...plain, options: { partNumber: 1 } })
    expect(headers).toHaveProperty('x-amz-mp-parts-count', '3')
  })

  it.each([
    [{ start: 0, end: 10 }, true],
    [{ start: 0, end: 9 }, false],
    [{ start: 1, end: 10 }, false],
  ])('shows the checksum of the whole for the range %j: %s', (range, isShown) => {
    const request = { ...plain, wantsChecksum: true, options: { range: { first: range.start, last: 99 } } }
    const { headers } = readAnswer(objectInfo({ checksum, range }), request)
    expect('x-amz-checksum-crc32' in headers).toBe(isShown)
  })

  it('shows checksums on demand and lets the client override headers', () => {
    const request = { ...plain, wantsChecksum: true, overrides: { 'content-type': 'text/x' } }
    expect(readAnswer(objectInfo({ checksum, contentType: 'text/plain' }), request).headers).toMatchObject({
      'content-type': 'text/x',
      'x-amz-checksum-crc32': 'AAAAAA==',
      'x-amz-checksum-type': 'FULL_OBJECT',
    })
  })
})
