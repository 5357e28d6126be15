import { describe, expect, it } from 'vitest'
import { isS3Error } from '../errors/errors.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import { xmlText } from '../xml/write.ts'
import { checksumElements, checksumHeaders, partChecksumHeaders, uploadChecksum, wantsChecksums } from './checksums.ts'

const requested = (algorithm?: string, type?: string) =>
  createRequestHeaders([
    ...(algorithm === undefined ? [] : ['x-amz-checksum-algorithm', algorithm]),
    ...(type === undefined ? [] : ['x-amz-checksum-type', type]),
  ])

describe('x-amz-checksum-mode', () => {
  const wants = (...values: readonly string[]) =>
    wantsChecksums(createRequestHeaders(values.flatMap((value) => ['x-amz-checksum-mode', value])))

  it('wants checksums with one word, in any case, and knows no other', () => {
    expect([wants(), wants(''), wants('ENABLED'), wants('enabled')]).toEqual([false, false, true, true])
    for (const values of [['DISABLED'], ['ENABLED,ENABLED'], ['ENABLED', 'ENABLED'], [' ']]) {
      expect(() => wants(...values), values.join()).toThrow(
        expect.toSatisfy((error: unknown) => isS3Error(error, 'InvalidRequest')),
      )
    }
  })
})

describe('uploadChecksum', () => {
  it.each([
    [undefined, undefined, undefined],
    ['CRC32', undefined, 'COMPOSITE'],
    ['CRC32C', undefined, 'COMPOSITE'],
    ['SHA1', undefined, 'COMPOSITE'],
    ['SHA256', 'COMPOSITE', 'COMPOSITE'],
    ['CRC64NVME', undefined, 'FULL_OBJECT'],
    ['crc32', 'full_object', 'FULL_OBJECT'],
  ])('makes of %s, %s the type %s', (algorithm, type, result) => {
    expect(uploadChecksum(requested(algorithm, type))).toEqual(
      algorithm === undefined ? {} : { checksumAlgorithm: algorithm.toUpperCase(), checksumType: result },
    )
  })

  it.each([
    ['CRC16', undefined],
    ['', undefined],
    ['CRC32', 'WHOLE'],
    [undefined, 'COMPOSITE'],
    ['CRC64NVME', 'COMPOSITE'],
    ['SHA1', 'FULL_OBJECT'],
    ['SHA256', 'FULL_OBJECT'],
  ])('refuses %s, %s', (algorithm, type) => {
    expect(() => uploadChecksum(requested(algorithm, type))).toThrow(
      expect.toSatisfy((error: unknown) => isS3Error(error, 'InvalidRequest')),
    )
  })
})

describe('algorithms whose checksums cannot be joined', () => {
  it.each(['MD5', 'SHA1', 'SHA256', 'sha512', 'XXHASH3', 'XXHASH64', 'XXHASH128'])('are composite: %s', (algorithm) => {
    const checksumAlgorithm = algorithm.toUpperCase()
    for (const type of [undefined, 'COMPOSITE']) {
      expect(uploadChecksum(requested(algorithm, type))).toEqual({ checksumAlgorithm, checksumType: 'COMPOSITE' })
    }
    expect(() => uploadChecksum(requested(algorithm, 'FULL_OBJECT'))).toThrow(
      `The FULL_OBJECT checksum type cannot be used with the ${algorithm.toLowerCase()} checksum algorithm.`,
    )
  })
})

describe('checksums in answers', () => {
  const checksum = { algorithm: 'CRC32', type: 'COMPOSITE', value: 'AAAAAA==-2' } as const

  it('have a header and an element each', () => {
    expect(checksumHeaders(checksum)).toEqual({
      'x-amz-checksum-crc32': 'AAAAAA==-2',
      'x-amz-checksum-type': 'COMPOSITE',
    })
    expect(partChecksumHeaders(checksum)).toEqual({ 'x-amz-checksum-crc32': 'AAAAAA==-2' })
    expect(checksumElements(checksum).map(xmlText)).toEqual([
      '<ChecksumCRC32>AAAAAA==-2</ChecksumCRC32>',
      '<ChecksumType>COMPOSITE</ChecksumType>',
    ])
  })

  it('are absent when there is none', () => {
    expect(checksumHeaders(undefined)).toEqual({})
    expect(checksumElements(undefined)).toEqual([])
  })
})
