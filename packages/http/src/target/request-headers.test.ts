import { describe, expect, it } from 'vitest'
import { canonicalHeaderName, createRequestHeaders } from './request-headers.ts'

const refused = expect.objectContaining({ code: 'InvalidRequest' })

describe('request headers', () => {
  it('are found whatever their case, and joined by a bare comma when repeated', () => {
    const headers = createRequestHeaders(['Content-Type', 'a', 'X-Amz-Meta-A', '1', 'x-amz-meta-a', '2'])
    expect(headers.get('content-type')).toBe('a')
    expect(headers.get('x-amz-meta-a')).toBe('1,2')
    expect(headers.values('x-amz-meta-a')).toEqual(['1', '2'])
    expect(headers.names).toEqual(['content-type', 'x-amz-meta-a'])
    expect([headers.get('absent'), headers.has('absent'), headers.values('absent')]).toEqual([undefined, false, []])
  })

  it('have two spellings of one meaning', () => {
    const headers = createRequestHeaders(['x-svc-acl', 'private', 'x-amz-date', 'd', 'X-Svc-Date', 'd'])
    expect([headers.get('x-amz-acl'), headers.get('x-svc-acl'), headers.has('x-amz-acl')]).toEqual([
      'private',
      'private',
      true,
    ])
    expect(headers.get('x-amz-date')).toBe('d')
    expect(headers.values('x-amz-acl')).toEqual([])
  })

  it('are refused when the two spellings disagree', () => {
    const headers = createRequestHeaders(['x-svc-acl', 'private', 'x-amz-acl', 'public-read'])
    expect(() => headers.get('x-amz-acl')).toThrow(refused)
    expect(() => headers.get('x-svc-acl')).toThrow(refused)
    expect(() => headers.withPrefix('x-amz-')).toThrow(refused)
  })

  it('are refused when sent twice where that means nothing', () => {
    const headers = createRequestHeaders(['host', 'a', 'Host', 'a', 'x-svc-date', 'd', 'x-svc-date', 'd'])
    expect(() => headers.single('host')).toThrow(refused)
    expect(() => headers.single('x-amz-date')).toThrow(refused)
    expect(createRequestHeaders(['host', 'a']).single('host')).toBe('a')
    expect(createRequestHeaders([]).single('host')).toBeUndefined()
  })

  it('are collected by prefix under either spelling', () => {
    const headers = createRequestHeaders([
      'x-amz-meta-a',
      '1',
      'X-Svc-Meta-B',
      '2',
      'x-amz-meta-__proto__',
      '3',
      'host',
      'h',
    ])
    expect([...headers.withPrefix('x-amz-meta-')]).toEqual([
      ['a', '1'],
      ['b', '2'],
      ['__proto__', '3'],
    ])
  })

  it('take over what a presigned URL carries, unless it contradicts a header', () => {
    const headers = createRequestHeaders(['host', 'h'], [['x-amz-acl', 'private']])
    expect(headers.get('x-amz-acl')).toBe('private')
    expect(createRequestHeaders(['x-amz-acl', 'private'], [['x-amz-acl', 'private']]).get('x-amz-acl')).toBe('private')
    expect(() => createRequestHeaders(['x-amz-acl', 'public-read'], [['x-amz-acl', 'private']])).toThrow(refused)
  })

  it('have one canonical name', () => {
    expect(['x-svc-date', 'x-amz-date', 'date'].map(canonicalHeaderName)).toEqual(['x-amz-date', 'x-amz-date', 'date'])
  })
})
