/** An access path: a request that shows the past of a bucket, or changes it, to those who have the right. */
import type { VarveAction } from '#http/policies/actions'
import type { Request } from './send.ts'
import type { PastBucket } from './past-bucket.ts'

/**
 * What allows an access path: for `s3`, the rights of Varve on the bucket beside those of S3; for `bucket`, the rights that the policy of
 * an identity gives on the bucket; for `store`, those that it gives on everything. `root`: being root. `never`: nobody is allowed.
 */
export type Need =
  | { readonly by: 's3' | 'bucket' | 'store'; readonly rights: readonly VarveAction[] }
  | { readonly by: 'root' | 'never' }

export interface AccessPath {
  readonly name: string
  readonly need: Need
  /** The request has to be signed, whatever a policy gives to everybody. */
  readonly isSigned?: boolean
  /** Shows what the past alone has, if it is allowed. */
  readonly shows?: boolean
  request(place: Place): Request
}

/** Where an access path is tried. */
export interface Place {
  readonly past: PastBucket
  /** A bucket that everybody may write. */
  readonly target: string
  /** An upload in the target. */
  readonly uploadId: string
  /** A name that was not used before. */
  next(): string
}

export const s3 = (...rights: readonly VarveAction[]): Need => ({ by: 's3', rights })
export const onBucket = (...rights: readonly VarveAction[]): Need => ({ by: 'bucket', rights })
export const onStore = (...rights: readonly VarveAction[]): Need => ({ by: 'store', rights })
export const root: Need = { by: 'root' }
export const never: Need = { by: 'never' }
