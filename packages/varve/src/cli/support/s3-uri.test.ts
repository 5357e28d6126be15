import { describe, expect, it } from 'vitest'
import { UsageError } from './exit-codes.ts'
import { parseObjectUri, parseS3Uri, s3Uri } from './s3-uri.ts'

describe('parseS3Uri', () => {
  it.each([
    ['s3://photos', 'photos', ''],
    ['s3://photos/', 'photos', ''],
    ['s3://photos/a/b.txt', 'photos', 'a/b.txt'],
    ['s3://photos//a', 'photos', '/a'],
    ['s3://photos/%20?x=1#y', 'photos', '%20?x=1#y'],
    ['s3://photos/a/../b', 'photos', 'a/../b'],
  ])('takes the key of %s as it is', (text, bucket, key) => {
    expect(parseS3Uri(text)).toEqual({ bucket, key })
  })

  it.each(['', 'photos', 's3:/photos', 's3://', 's3:///a', 'S3://photos'])('refuses %j', (text) => {
    expect(() => parseS3Uri(text)).toThrow(UsageError)
  })
})

describe('parseObjectUri', () => {
  it('wants a key', () => {
    expect(parseObjectUri('s3://photos/a')).toEqual({ bucket: 'photos', key: 'a' })
    expect(() => parseObjectUri('s3://photos/')).toThrow(UsageError)
  })
})

describe('s3Uri', () => {
  it('is what parseS3Uri takes', () => {
    for (const uri of ['s3://photos', 's3://photos/a b/c']) {
      const { bucket, key } = parseS3Uri(uri)
      expect(s3Uri(bucket, key)).toBe(uri)
    }
  })
})
