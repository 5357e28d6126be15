/** Blobs in any S3-compatible store. @module */
export { openS3Blobs, type S3Blobs } from './s3-blobs/open-s3-blobs.ts'
export type { S3BlobsCredentials, S3BlobsOptions } from './s3-blobs/s3-blobs-options.ts'
export { cachedBlobs, type CachedBlobsOptions } from './blob-cache/cached-blobs.ts'
