/** Blobs in any S3-compatible store. @module */
export { openS3Blobs, openS3Replica, type S3Blobs, type S3Replica } from './s3-blobs/open-s3-blobs.ts'
export type { S3BlobsCredentials, S3BlobsOptions } from './s3-blobs/s3-blobs-options.ts'
export { cachedBlobs, type CachedBlobsOptions } from './blob-cache/cached-blobs.ts'
export { type ListedSource, openS3Source, type S3Source, type SourcePage } from './s3-source/open-s3-source.ts'
export type { S3SourceOptions } from './s3-source/s3-source-options.ts'
export type { SourceObject, SourcePlace } from './s3-source/source-object.ts'
