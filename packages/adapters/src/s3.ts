/** Blobs in any S3-compatible store. @module */
export { openS3Blobs, openS3Replica, type S3Blobs, type S3Replica } from './s3-blobs/open-s3-blobs.ts'
export type { S3BlobsCredentials, S3BlobsOptions } from './s3-blobs/s3-blobs-options.ts'
export { cachedBlobs, type CachedBlobsOptions } from './blob-cache/cached-blobs.ts'
