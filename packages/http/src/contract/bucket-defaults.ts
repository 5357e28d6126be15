/** What new buckets begin with. `open`: nothing is blocked, and whoever writes an object owns it. `closed`: as S3 makes them since 2023. */
export type BucketDefaults = 'open' | 'closed'
