import { describe, expect, it } from 'vitest'
import { checkBucketTags, checkObjectTags, sortedTags } from './check-tags.ts'

const tags = (count: number) => Array.from({ length: count }, (_, i) => ({ key: `k${i}`, value: '' }))
const refusal = (message: string, details: object) =>
  expect.objectContaining({ code: 'InvalidTag', message, details: expect.objectContaining(details) })

describe('tags', () => {
  it('are kept by key, whatever order they came in, and with nothing else', () => {
    const given = [
      { key: 'b', value: '1', more: true },
      { key: 'B', value: '2' },
      { key: 'a', value: '3' },
    ]
    expect(sortedTags(given)).toEqual([
      { key: 'B', value: '2' },
      { key: 'a', value: '3' },
      { key: 'b', value: '1' },
    ])
  })

  it('may be as many and as long as S3 allows, in any script', () => {
    expect(() => checkObjectTags(tags(10))).not.toThrow()
    expect(() => checkBucketTags(tags(50))).not.toThrow()
    expect(() => checkObjectTags([{ key: '𠮷'.repeat(128), value: '語'.repeat(256) }])).not.toThrow()
    expect(() => checkObjectTags([{ key: 'a_. :/=+-@9', value: '' }])).not.toThrow()
  })

  it('are refused when they are too many, too long, or hold what a tag cannot', () => {
    expect(() => checkObjectTags(tags(11))).toThrow(refusal('There can be no more than 10 tags.', {}))
    expect(() => checkBucketTags(tags(51))).toThrow(refusal('There can be no more than 50 tags.', {}))
    for (const key of ['', 'k'.repeat(129), '𠮷'.repeat(129), 'Key1,Key2', 'a\n', '<a>']) {
      expect(() => checkObjectTags([{ key, value: '' }])).toThrow(
        refusal('The TagKey you have provided is invalid', { TagKey: key }),
      )
    }
    for (const value of ['v'.repeat(257), 'Val1,Val2', '\0']) {
      expect(() => checkBucketTags([{ key: 'k', value }])).toThrow(
        refusal('The TagValue you have provided is invalid', { TagKey: 'k', TagValue: value }),
      )
    }
  })

  it.each(['aws:', 'aws:k', 'AWS:k', 'Aws:k'])('are refused with the reserved key %s, in any case', (key) => {
    expect(() => checkObjectTags([{ key, value: '' }])).toThrow(expect.objectContaining({ code: 'InvalidTag' }))
    expect(() => checkBucketTags([{ key, value: '' }])).toThrow(expect.objectContaining({ code: 'InvalidTag' }))
  })

  it('are refused when a key comes twice or is not for users to give', () => {
    const twice = [
      { key: 'k', value: '1' },
      { key: 'k', value: '2' },
    ]
    const words = 'Cannot provide multiple Tags with the same key'
    expect(() => checkObjectTags(twice)).toThrow(refusal(words, { TagKey: 'k' }))
    const own = [{ key: 'aws:x', value: '' }]
    expect(() => checkObjectTags(own)).toThrow(refusal('Your TagKey cannot be prefixed with aws:', { TagKey: 'aws:x' }))
    expect(() => checkBucketTags(own)).toThrow(
      refusal('System tags cannot be added/updated by requester', { TagKey: 'aws:x' }),
    )
  })
})
