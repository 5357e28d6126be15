/** What may be called what. Refused names never reach the log. */
import { StorageError } from '../base/errors.ts'
import { encodeUtf8 } from '../bytes/utf8.ts'
import { text } from '../schema/scalars.ts'
import { checked } from '../schema/schema.ts'
import { limits } from '../base/limits.ts'
import type { ObjectMetadata } from '../events/index.ts'

const anyText = text({ max: Number.MAX_SAFE_INTEGER })
const bucketName = /^[a-z0-9][a-z0-9.-]*[a-z0-9]$/
const ipAddress = /^\d+\.\d+\.\d+\.\d+$/
const reservedPrefixes = ['xn--', 'sthree-', 'amzn-s3-demo-']
const reservedSuffixes = ['-s3alias', '--ol-s3', '.mrap', '--x-s3', '--table-s3']

/**
 * S3's naming rules for general purpose buckets.
 * @throws StorageError `InvalidBucketName`.
 */
export function checkBucketName(bucket: string): void {
  checked('bucket', anyText, bucket)
  const valid =
    bucket.length >= limits.bucketNameMin &&
    bucket.length <= limits.bucketNameMax &&
    bucketName.test(bucket) &&
    !/\.\.|\.-|-\./.test(bucket) &&
    !ipAddress.test(bucket) &&
    !reservedPrefixes.some((prefix) => bucket.startsWith(prefix)) &&
    !reservedSuffixes.some((suffix) => bucket.endsWith(suffix))
  if (!valid) {
    throw new StorageError('InvalidBucketName', 'The specified bucket is not valid.', {
      details: { BucketName: bucket },
    })
  }
}

/**
 * Any well-formed text of 1 to 1024 bytes in UTF-8 is a key.
 * @throws StorageError `KeyTooLongError` or `InvalidArgument`.
 */
export function checkKey(key: string): void {
  checked('key', anyText, key)
  if (key.length === 0) throw new StorageError('InvalidArgument', 'A key has at least one character.')
  const size = key.length * 3 <= limits.keyBytesMax ? 0 : encodeUtf8(key).length
  if (size > limits.keyBytesMax) {
    throw new StorageError('KeyTooLongError', 'Your key is too long', {
      details: { Size: size, MaxSizeAllowed: limits.keyBytesMax },
    })
  }
}

/** @throws StorageError `MetadataTooLarge` when names and values of user metadata exceed 2 KB. */
export function checkMetadata(metadata: ObjectMetadata): void {
  let size = 0
  for (const [name, value] of metadata.user) size += encodeUtf8(name).length + encodeUtf8(value).length
  if (size > limits.userMetadataBytesMax) {
    throw new StorageError('MetadataTooLarge', 'Your metadata headers exceed the maximum allowed metadata size', {
      details: { Size: size, MaxSizeAllowed: limits.userMetadataBytesMax },
    })
  }
}
