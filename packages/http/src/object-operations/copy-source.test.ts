import { describe, expect, it } from 'vitest'
import { isS3Error } from '../errors/errors.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import { copySourceOf, parseCopySource } from './copy-source.ts'

describe('parseCopySource', () => {
  it.each([
    ['b/k', { bucket: 'b', key: 'k' }],
    ['/b/k', { bucket: 'b', key: 'k' }],
    ['/b//k', { bucket: 'b', key: '/k' }],
    ['b/a/../k', { bucket: 'b', key: 'a/../k' }],
    ['b/k?versionId=null', { bucket: 'b', key: 'k', versionId: 'null' }],
    ['b%2Fk%20x', { bucket: 'b', key: 'k x' }],
    ['b/a%252Fb', { bucket: 'b', key: 'a%2Fb' }],
    ['b/a+b', { bucket: 'b', key: 'a b' }],
    ['b/a%2Bb%2b', { bucket: 'b', key: 'a+b+' }],
    ['b/%252B+%20?versionId=1+2', { bucket: 'b', key: '%2B  ', versionId: '1 2' }],
    ['b/k%3FversionId=1', { bucket: 'b', key: 'k?versionId=1' }],
    ['b/k%3FversionId=1?versionId=2', { bucket: 'b', key: 'k?versionId=1', versionId: '2' }],
    ['b/%F0%9F%8C%8D', { bucket: 'b', key: '🌍' }],
    [Buffer.from('b/ä', 'utf8').toString('latin1'), { bucket: 'b', key: 'ä' }],
  ])('reads %j', (raw, source) => {
    expect(parseCopySource(raw)).toEqual(source)
  })

  it.each([
    '',
    '/',
    'b',
    '/b',
    'b/',
    '/b/',
    '//k',
    'b/k?',
    'b/k?versionId=',
    'b/k?x=1',
    'b/%zz',
    'b/%',
    'b/%c0%af',
    'b/k?versionId=%zz',
  ])('refuses %j as InvalidArgument', (raw) => {
    expect(() => parseCopySource(raw)).toThrow(
      expect.toSatisfy((error: unknown) => isS3Error(error, 'InvalidArgument')),
    )
  })

  it('refuses a request with two sources', () => {
    const headers = createRequestHeaders(['x-amz-copy-source', 'b/k', 'X-Amz-Copy-Source', 'b/k'])
    expect(() => copySourceOf(headers)).toThrow(/more than once/)
  })

  it('reads either spelling of the header', () => {
    expect(copySourceOf(createRequestHeaders(['x-svc-copy-source', 'b/k']))).toEqual({ bucket: 'b', key: 'k' })
  })
})
