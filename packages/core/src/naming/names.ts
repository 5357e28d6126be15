/** The rules for names of buckets and keys, and for metadata. Refused names never reach the log. */
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
 * @throws StorageError `InvalidBucketName`, which names the bucket and the rule that it breaks.
 */
export function checkBucketName(bucket: string): void {
  if (bucket === lastGood) return
  checked('bucket', anyText, bucket)
  const rule = brokenRule(bucket)
  if (rule === undefined) {
    lastGood = bucket
    return
  }
  throw new StorageError('InvalidBucketName', `${rule} ${shownName(bucket)} is no bucket name.`, {
    details: { BucketName: bucket },
  })
}

/** The name that was found good last: neighbouring requests are mostly for one bucket. */
let lastGood: string | undefined

function brokenRule(bucket: string): string | undefined {
  const { bucketNameMin: min, bucketNameMax: max } = limits
  if (bucket.length < min || bucket.length > max) return `Bucket names have ${min} to ${max} characters.`
  if (!bucketName.test(bucket))
    return 'Bucket names consist of a–z, 0–9, "-" and ".", and begin and end with a letter or a digit.'
  if (/\.\.|\.-|-\./.test(bucket)) return 'In bucket names, "." stands between letters or digits.'
  if (ipAddress.test(bucket)) return 'Bucket names do not have the form of an IP address.'
  const affix =
    reservedPrefixes.find((prefix) => bucket.startsWith(prefix)) ??
    reservedSuffixes.find((suffix) => bucket.endsWith(suffix))
  return affix === undefined ? undefined : `S3 reserves bucket names with "${affix}".`
}

const shownNameMax = 80

const shownName = (name: string): string =>
  JSON.stringify(name.length <= shownNameMax ? name : `${name.slice(0, shownNameMax)}…`)

/**
 * Any well-formed text of 1 to 1024 bytes in UTF-8 is a key.
 * @throws StorageError `KeyTooLongError` or `InvalidArgument`.
 */
export function checkKey(key: string): void {
  checked('key', anyText, key)
  if (key.length === 0) {
    throw new StorageError(
      'InvalidArgument',
      `A key has 1 to ${limits.keyBytesMax} bytes in UTF-8, and this one is empty.`,
      {
        details: { ArgumentName: 'key' },
      },
    )
  }
  const size = key.length * 3 <= limits.keyBytesMax ? 0 : encodeUtf8(key).length
  if (size > limits.keyBytesMax) {
    throw new StorageError('KeyTooLongError', `A key has 1 to ${limits.keyBytesMax} bytes in UTF-8, not ${size}.`, {
      details: { Size: size, MaxSizeAllowed: limits.keyBytesMax },
    })
  }
}

/** @throws StorageError `MetadataTooLarge` when names and values of user metadata exceed 2 KB. */
export function checkMetadata(metadata: ObjectMetadata): void {
  let size = 0
  for (const [name, value] of metadata.user) size += encodeUtf8(name).length + encodeUtf8(value).length
  if (size > limits.userMetadataBytesMax) {
    const rule = `Names and values of user metadata have ${limits.userMetadataBytesMax} bytes in UTF-8 at most, not ${size}.`
    throw new StorageError('MetadataTooLarge', rule, {
      details: { Size: size, MaxSizeAllowed: limits.userMetadataBytesMax },
    })
  }
}
