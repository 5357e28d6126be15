/** How much a bucket may have, and how much an identity. */
import { StorageError } from '../base/errors.ts'

/** The quota of a bucket. An absent limit limits nothing. */
export interface BucketQuota {
  /**
   * The most stored bytes: of all versions, also of older ones, and of the parts of uploads in progress. Bytes that were removed and are kept
   * for a while do not count, and what copies share counts once, in the bucket that has it.
   */
  readonly bytes?: number
  /** The most bytes of one object. */
  readonly objectBytes?: number
  /** The most versions: of all objects, also older ones. Delete markers do not count. */
  readonly objects?: number
  /** The most multipart uploads in progress at once. */
  readonly uploads?: number
}

/** @throws StorageError `InvalidArgument` for a quota without a limit */
export function checkQuota(quota: BucketQuota): void {
  if (Object.values(quota).some((limit) => limit !== undefined)) return
  throw new StorageError('InvalidArgument', 'A quota has at least one limit.', {
    hint: 'Remove the quota to limit nothing: `varve quota remove`.',
    details: { ArgumentName: 'value' },
  })
}

/** The quota of an identity: of all buckets together that it owns. An absent limit limits nothing. */
export interface IdentityQuota {
  /** The most stored bytes, as in the quota of a bucket. What others write into a bucket counts for its owner. */
  readonly bytes?: number
  /** The most buckets. */
  readonly buckets?: number
}
