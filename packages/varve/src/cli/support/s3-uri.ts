/** `s3://bucket/key`. The key is not decoded, so every key can be written. */
import { UsageError } from './exit-codes.ts'

export interface S3Uri {
  readonly bucket: string
  /** Empty when only a bucket is named. */
  readonly key: string
}

const scheme = 's3://'

/** @throws UsageError */
export function parseS3Uri(text: string): S3Uri {
  const place = text.startsWith(scheme) ? text.slice(scheme.length) : ''
  const slash = place.indexOf('/')
  const bucket = slash < 0 ? place : place.slice(0, slash)
  if (bucket === '') throw new UsageError(`Expected s3://bucket or s3://bucket/key, not ${JSON.stringify(text)}.`)
  return { bucket, key: slash < 0 ? '' : place.slice(slash + 1) }
}

/** @throws UsageError when there is no key */
export function parseObjectUri(text: string): S3Uri {
  const uri = parseS3Uri(text)
  if (uri.key === '') throw new UsageError(`Expected s3://bucket/key, not ${JSON.stringify(text)}.`)
  return uri
}

/** The bucket that a command is about. @throws UsageError when there is a key */
export function parseBucketUri(text: string): string {
  const { bucket, key } = parseS3Uri(text)
  if (key === '' && !text.endsWith('/')) return bucket
  throw new UsageError(`Expected s3://bucket, not ${JSON.stringify(text)}.`)
}

/** The part of a key after its last slash. */
export const lastPart = (key: string): string => key.slice(key.lastIndexOf('/') + 1)

export const s3Uri = (bucket: string, key = ''): string => `${scheme}${bucket}${key === '' ? '' : `/${key}`}`
