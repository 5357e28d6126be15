import { describe, expect, it } from 'vitest'
import { createRequestHeaders } from '../target/request-headers.ts'
import { readObjectAttributes } from './attributes-in.ts'

const read = (attributes: string, more: readonly string[] = []) =>
  readObjectAttributes(createRequestHeaders(['x-amz-object-attributes', attributes, ...more]))

describe('readObjectAttributes', () => {
  it.each(['ETag,ObjectSize', 'ETag, ObjectSize', ' ObjectSize ,ETag'])('reads %j', (attributes) => {
    expect([...read(attributes).wanted].sort()).toEqual(['ETag', 'ObjectSize'])
  })

  it('reads a header for each, as some clients send them', () => {
    const { wanted } = read('Checksum', ['x-amz-object-attributes', 'ObjectParts'])
    expect([...wanted]).toEqual(['Checksum', 'ObjectParts'])
  })

  it('requests 1000 parts from the first by default, and never more', () => {
    expect(read('ObjectParts').parts).toEqual({ after: 0, limit: 1000 })
    const more = ['x-amz-max-parts', '5000', 'x-amz-part-number-marker', '7']
    expect(read('ObjectParts', more).parts).toEqual({ after: 7, limit: 1000 })
  })

  it.each(['Colour', ',', 'etag', 'ETag,,ObjectSize'])('refuses %j', (attributes) => {
    expect(() => read(attributes)).toThrow(expect.objectContaining({ code: 'InvalidArgument' }))
  })

  it.each(['-1', 'x', '1.5', '9999999999'])('refuses %j for a number', (number) => {
    for (const name of ['x-amz-max-parts', 'x-amz-part-number-marker']) {
      expect(() => read('ETag', [name, number])).toThrow(expect.objectContaining({ code: 'InvalidArgument' }))
    }
  })

  it('refuses a request that names no attribute', () => {
    const refusal = expect.objectContaining({ code: 'InvalidRequest' })
    expect(() => readObjectAttributes(createRequestHeaders([]))).toThrow(refusal)
    for (const none of ['', ' ']) expect(() => read(none)).toThrow(refusal)
  })
})
