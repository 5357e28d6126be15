import { crc32 } from 'node:zlib'
import type { Hashing } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { createRequestHeaders } from '../target/request-headers.ts'
import { announcedTrailers, checkBytesAgainst, parseChecksum } from './checksums.ts'

const parse = (pairs: Record<string, string>, options = {}) =>
  parseChecksum(createRequestHeaders(Object.entries(pairs).flat()), options)
const base64 = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64')

describe('a declared checksum', () => {
  it.each([
    ['crc32', 'CRC32', 4],
    ['crc32c', 'CRC32C', 4],
    ['crc64nvme', 'CRC64NVME', 8],
    ['sha1', 'SHA1', 20],
    ['sha256', 'SHA256', 32],
    ['sha512', 'SHA512', 64],
    ['md5', 'MD5', 16],
    ['xxhash64', 'XXHASH64', 8],
    ['xxhash3', 'XXHASH3', 8],
    ['xxhash128', 'XXHASH128', 16],
  ])('%s is read under either spelling, and only at its length', (name, algorithm, bytes) => {
    for (const spelling of ['x-amz-checksum-', 'X-Svc-Checksum-']) {
      expect(parse({ [spelling + name]: base64(bytes) })).toEqual({ algorithm, expected: base64(bytes) })
    }
    for (const value of ['', 'x~', base64(bytes - 1), base64(bytes + 1), `${base64(bytes)}A`, `${base64(bytes)}-2`]) {
      expect(() => parse({ [`x-amz-checksum-${name}`]: value })).toThrow(
        expect.objectContaining({
          code: 'InvalidRequest',
          message: `Value for x-amz-checksum-${name} header is invalid.`,
        }),
      )
    }
  })

  it('matches nothing when it is cut short', () => {
    for (const value of ['x', 'bad', 'AAAAA', base64(32).replaceAll('=', '')]) {
      expect(() => parse({ 'x-amz-checksum-sha256': value })).toThrow(
        expect.objectContaining({
          code: 'BadDigest',
          message: 'The SHA256 you specified did not match the calculated checksum.',
        }),
      )
    }
  })

  it('is refused when its unused bits are set: two spellings of one digest are one too many', () => {
    expect(() => parse({ 'x-amz-checksum-crc32': 'AAAAAB==' })).toThrow(
      expect.objectContaining({ code: 'InvalidRequest' }),
    )
  })

  it('is absent when nothing declares one', () => {
    expect(
      parse({
        'x-amz-checksum-mode': 'ENABLED',
        'x-amz-checksum-type': 'COMPOSITE',
        'x-amz-checksum-algorithm': 'SHA1',
      }),
    ).toBeUndefined()
  })

  const crc = base64(4)
  it.each<[string, Record<string, string>, string]>([
    ['two of them', { 'x-amz-checksum-crc32': crc, 'x-amz-checksum-sha1': base64(20) }, 'InvalidRequest'],
    ['two spellings, different', { 'x-amz-checksum-crc32': crc, 'x-svc-checksum-crc32': 'AAAAAA==' }, 'InvalidRequest'],
    ['an unknown algorithm', { 'x-amz-checksum-md4': crc }, 'NotImplemented'],
    ['one called __proto__', { 'x-amz-checksum-__proto__': crc }, 'NotImplemented'],
    ['an algorithm without a value', { 'x-amz-sdk-checksum-algorithm': 'CRC32' }, 'InvalidRequest'],
    [
      'another algorithm than named',
      { 'x-amz-sdk-checksum-algorithm': 'SHA1', 'x-amz-checksum-crc32': crc },
      'InvalidRequest',
    ],
    [
      'a named algorithm S3 does not have',
      { 'x-amz-sdk-checksum-algorithm': 'MD4', 'x-amz-checksum-crc32': crc },
      'InvalidRequest',
    ],
    ['a trailer where none can come', { 'x-amz-trailer': 'x-amz-checksum-crc32' }, 'MalformedTrailerError'],
    [
      'a trailer beside another checksum',
      { 'x-amz-trailer': 'x-amz-checksum-crc32', 'x-amz-checksum-sha1': base64(20) },
      'InvalidRequest',
    ],
    ['two trailers', { 'x-amz-trailer': 'x-amz-checksum-crc32, x-amz-checksum-sha1' }, 'InvalidRequest'],
    ['a trailer that is no checksum', { 'x-amz-trailer': 'x-amz-meta-a' }, 'InvalidRequest'],
    ['a trailer of an unknown algorithm', { 'x-amz-trailer': 'x-amz-checksum-md4' }, 'NotImplemented'],
  ])('is refused with %s', (_name, pairs, code) => {
    expect(() => parse(pairs)).toThrow(expect.objectContaining({ code }))
  })

  it('may be named by its algorithm as well', () => {
    for (const named of ['CRC32', 'crc32']) {
      expect(parse({ 'x-amz-sdk-checksum-algorithm': named, 'x-amz-checksum-crc32': crc })).toMatchObject({
        algorithm: 'CRC32',
      })
    }
  })

  it('comes from its trailer once that was read', () => {
    const trailers = new Map<string, string>()
    const declared = parse(
      { 'x-svc-trailer': 'X-Svc-Checksum-CRC32C', 'x-amz-sdk-checksum-algorithm': 'CRC32C' },
      { trailers },
    )
    const expected = declared?.expected
    if (typeof expected !== 'function') throw new Error('not a trailer')
    expect([declared?.algorithm, expected()]).toEqual(['CRC32C', undefined])
    trailers.set('x-amz-checksum-crc32c', crc)
    expect(expected()).toBe(crc)
  })

  it('is the one in the header when a trailer was announced too', () => {
    const pairs = { 'x-amz-trailer': 'x-amz-checksum-crc32', 'x-amz-checksum-crc32': crc }
    for (const options of [{}, { trailers: new Map([['x-amz-checksum-crc32', 'AAAAAA==']]) }]) {
      expect(parse(pairs, options)).toEqual({ algorithm: 'CRC32', expected: crc })
    }
  })

  it('may be of parts when an upload is completed', () => {
    const options = { composite: true }
    expect(parse({ 'x-amz-checksum-crc32': `${crc}-10000` }, options)).toMatchObject({ expected: `${crc}-10000` })
    expect(parse({ 'x-amz-checksum-crc32': crc }, options)).toMatchObject({ expected: crc })
    for (const value of [`${crc}-0`, `${crc}-`, `${crc}-1-1`, `${crc}-123456`, '-1']) {
      expect(() => parse({ 'x-amz-checksum-crc32': value }, options)).toThrow(
        expect.objectContaining({ code: 'InvalidRequest' }),
      )
    }
  })

  it('is compared with bytes in memory', () => {
    const hashing = {
      create: () => {
        let value = 0
        return {
          update: (bytes: Uint8Array) => {
            value = crc32(bytes, value)
          },
          finish: () => new Uint8Array([value >>> 24, value >>> 16, value >>> 8, value]),
        }
      },
    } as unknown as Hashing
    const bytes = Buffer.from('123456789')
    for (const expected of ['y/Q5Jg==', () => 'y/Q5Jg==']) {
      expect(checkBytesAgainst({ algorithm: 'CRC32', expected }, bytes, hashing)).toBeUndefined()
    }
    for (const expected of [crc, () => undefined]) {
      expect(() => checkBytesAgainst({ algorithm: 'CRC32', expected }, bytes, hashing)).toThrow(
        expect.objectContaining({
          code: 'BadDigest',
          message: 'The CRC32 you specified did not match the calculated checksum.',
        }),
      )
    }
  })

  it('lists the trailers to expect by one spelling', () => {
    const announced = (value: string) => announcedTrailers(createRequestHeaders(['x-svc-trailer', value]))
    expect(announced(' X-Svc-Checksum-SHA1 ')).toEqual(['x-amz-checksum-sha1'])
    expect(announcedTrailers(createRequestHeaders([]))).toEqual([])
  })
})
