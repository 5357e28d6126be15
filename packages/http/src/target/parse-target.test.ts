import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isS3Error } from '../errors/errors.ts'
import { parseTarget } from './parse-target.ts'
import { canonicalPath, encodePath, percentDecode, percentEncode } from './percent.ts'
import { parseQuery } from './query-params.ts'

const codeOf = (attempt: () => unknown): string => {
  try {
    attempt()
  } catch (error) {
    return isS3Error(error) ? error.code : String(error)
  }
  return 'nothing was refused'
}
const pathStyle = (rawUrl: string) => parseTarget({ rawUrl, hostHeader: 'localhost:9000', hostSuffixes: [] })
const virtual = (hostHeader: string | undefined, rawUrl = '/k') =>
  parseTarget({ rawUrl, hostHeader, hostSuffixes: ['localhost', 's3.example.com', 'example.com'] })

describe('a path-style target', () => {
  it.each([
    ['/', undefined, undefined],
    ['/?x', undefined, undefined],
    ['/b', 'b', undefined],
    ['/b/', 'b', undefined],
    ['/b?versions', 'b', undefined],
    ['/b/k', 'b', 'k'],
    ['/b//', 'b', '/'],
    ['/b//k', 'b', '/k'],
    ['/b/k/', 'b', 'k/'],
    ['/b/a//b', 'b', 'a//b'],
    ['/b/../../etc/passwd', 'b', '../../etc/passwd'],
    ['/b/%2e%2e%2fx', 'b', '../x'],
    ['/b/.', 'b', '.'],
    ['/b/a+b', 'b', 'a+b'],
    ['/b/a%2Fb', 'b', 'a/b'],
    ['/b/a%252Fb', 'b', 'a%2Fb'],
    ['/b/a%00b', 'b', 'a\0b'],
    ['/b/\u0001', 'b', '\u0001'],
    ['/b/%F0%9F%98%80', 'b', '😀'],
    ['/b/\u00f0\u009f\u0098\u0080', 'b', '😀'],
    ['/b/%EF%BB%BFx', 'b', '\ufeffx'],
    ['/b/x%3Fy?z', 'b', 'x?y'],
    ['/b/k?a?b', 'b', 'k'],
    ['/b%2Fk', 'b', 'k'],
    ['/__proto__/constructor', '__proto__', 'constructor'],
    ['/b/C:%5Cx ', 'b', 'C:\\x '],
  ])('%j is bucket %j and key %j', (rawUrl, bucket, key) => {
    const target = pathStyle(rawUrl)
    expect([target.bucket, target.key, target.style]).toEqual([bucket, key, 'path'])
  })

  it.each([
    ['http://evil/x/../y', 'InvalidURI'],
    ['*', 'InvalidURI'],
    ['', 'InvalidURI'],
    ['evil:443', 'InvalidURI'],
    ['b/k', 'InvalidURI'],
    ['?x', 'InvalidURI'],
    ['/b/k#fragment', 'InvalidURI'],
    ['/b/%zz', 'InvalidURI'],
    ['/b/%', 'InvalidURI'],
    ['/b/%4', 'InvalidURI'],
    ['/b/%c0%af', 'InvalidURI'],
    ['/b/%ed%a0%80', 'InvalidURI'],
    ['/b/%ff', 'InvalidURI'],
    ['/b/\u00ff', 'InvalidURI'],
    ['/b/\u0100', 'InvalidURI'],
    ['/b?prefix=%c0%af', 'InvalidURI'],
    ['/b?%zz', 'InvalidURI'],
    ['//b//k', 'InvalidBucketName'],
    ['//', 'InvalidBucketName'],
  ])('%j is refused: %s', (rawUrl, code) => {
    expect(codeOf(() => pathStyle(rawUrl))).toBe(code)
  })

  it('keeps the raw path and the raw query for the signature', () => {
    expect(pathStyle('/b/%61?x=%61?')).toMatchObject({ rawPath: '/b/%61', rawQuery: 'x=%61?' })
  })

  it('gives back every key that can be written into a path', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (key) => {
        fc.pre(!/\p{Surrogate}/u.test(key))
        expect(pathStyle(`/b/${encodePath(key)}`).key).toBe(key)
        expect(pathStyle(`/b/${percentEncode(key)}`).key).toBe(key)
        expect(canonicalPath(`/b/${percentEncode(key)}`)).toBe(`/b/${encodePath(key)}`)
      }),
    )
  })

  it('answers any raw text with a target or a coded refusal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(['nothing was refused', 'InvalidURI', 'InvalidBucketName']).toContain(
          codeOf(() => pathStyle(`/${text}`)),
        )
      }),
    )
  })
})

describe('a virtual-host target', () => {
  it.each([
    ['b.localhost', 'b', 'k'],
    ['b.localhost:9000', 'b', 'k'],
    ['B.LocalHost.', 'b', 'k'],
    ['b.s3.example.com', 'b', 'k'],
    ['a.b.s3.example.com:80', 'a.b', 'k'],
    ['other.example.com', 'other', 'k'],
  ])('Host %s names bucket %s', (host, bucket, key) => {
    expect(virtual(host)).toMatchObject({ bucket, key, style: 'virtual' })
  })

  it.each([
    'localhost',
    'localhost:9000',
    's3.example.com',
    'example.com',
    '127.0.0.1:9000',
    '[::1]:9000',
    'xlocalhost',
    '',
    undefined,
  ])('Host %s leaves the bucket to the path', (host) => {
    expect(virtual(host, '/b/k')).toMatchObject({ bucket: 'b', key: 'k', style: 'path' })
  })

  it('has no key at the root, and keeps leading slashes in keys', () => {
    expect(virtual('b.localhost', '/?versions').key).toBeUndefined()
    expect(virtual('b.localhost', '//x').key).toBe('/x')
    expect(virtual('b.localhost', '/c/k')).toMatchObject({ bucket: 'b', key: 'c/k' })
  })
})

describe('query parameters', () => {
  it('are decoded once, and + is a space', () => {
    expect(parseQuery('a=b+c&d=%2B&e&f=&&g=h=i&%61=1&=x').entries).toEqual([
      ['a', 'b c'],
      ['d', '+'],
      ['e', ''],
      ['f', ''],
      ['g', 'h=i'],
      ['a', '1'],
      ['', 'x'],
    ])
  })

  it('are refused when read, if they were sent twice', () => {
    const query = parseQuery('a=1&a=1&b=2')
    expect(query.has('a')).toBe(true)
    expect(query.get('b')).toBe('2')
    expect(codeOf(() => query.get('a'))).toBe('InvalidArgument')
  })

  it('are data, whatever their name', () => {
    const query = parseQuery('__proto__=x')
    expect(query.get('__proto__')).toBe('x')
    for (const name of ['constructor', 'toString', 'hasOwnProperty', '']) {
      expect([query.has(name), query.get(name)]).toEqual([false, undefined])
    }
  })

  it('are read in linear time', () => {
    const start = performance.now()
    expect(parseQuery('&'.repeat(1e6)).entries).toEqual([])
    expect(parseQuery('a='.repeat(5e5)).get('a')?.length).toBe(999_998)
    expect(codeOf(() => percentDecode('%'.repeat(1e6)))).toBe('InvalidURI')
    expect(percentDecode('%41'.repeat(3e5)).length).toBe(3e5)
    expect(performance.now() - start).toBeLessThan(2000)
  })
})
