/** Limits of a bucket or an identity, for people. */
import type { BucketQuota, IdentityQuota } from '@varve/core'

const units: { readonly [K in keyof (BucketQuota & IdentityQuota)]-?: string } = {
  bytes: 'bytes',
  objectBytes: 'bytes an object',
  objects: 'versions',
  uploads: 'uploads',
  buckets: 'buckets',
}

export function quotaText(quota: BucketQuota & IdentityQuota): string {
  const limits = Object.entries(units).flatMap(([name, unit]) => {
    const limit = quota[name as keyof typeof units]
    return limit === undefined ? [] : [`at most ${limit} ${unit}`]
  })
  return limits.length === 0 ? 'no quota' : limits.join(', ')
}

/** The limits that options give. */
export const givenLimits = <Q extends object>(limits: { readonly [K in keyof Q]: Q[K] | undefined }): Partial<Q> =>
  Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined)) as Partial<Q>
