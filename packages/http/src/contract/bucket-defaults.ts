/**
 * The settings of new buckets. `open`: nothing is blocked, and the writer of an object owns it. `closed`: as in S3
 * since 2023.
 */
export type BucketDefaults = 'open' | 'closed'
