/** Opens the blobs of a store below a prefix of a bucket, in any S3-compatible store. */
import { type BlobStore, schema as checks } from '@varve/core'
import { blobKeys } from './blob-keys.ts'
import { s3Blobs } from './s3-blobs.ts'
import { type S3BlobsOptions, s3BlobsOptions, withDefaults } from './s3-blobs-options.ts'
import { s3Failure } from './s3-failure.ts'
import { S3Place } from './s3-place.ts'
import { S3Requests } from './s3-requests.ts'
import { createClient, loadSdk, renewCredentials } from './s3-sdk.ts'
import { openMarker } from './store-marker.ts'

/**
 * The caller closes the blobs after the stores that use them.
 * @throws StorageError `InvalidArgument`; `StoreNotFound`: there is no such bucket (`details.kind` is `NoSuchBucket`), the
 * prefix has other objects (`foreign`), belongs to another store (`otherStore`), or is empty and `create` is false (`empty`);
 * `UnsupportedFormat`: a newer release made the blobs (`details.kind` is `newer`), or `@aws-sdk/client-s3` is not installed
 * (`package`); `NoSpace`; `BlobFailed`: `details.kind` is the code of S3 or of the system
 */
export async function openS3Blobs(given: S3BlobsOptions): Promise<BlobStore> {
  const options = withDefaults(checks.checked('options', s3BlobsOptions, given))
  const sdk = await loadSdk()
  try {
    const client = createClient(sdk, options)
    const requests = new S3Requests({ ...options, renew: () => renewCredentials(client) })
    const place = new S3Place({ sdk, client, requests, bucket: options.bucket, keys: blobKeys(options.prefix) })
    try {
      await openMarker(place, options)
    } catch (error) {
      client.destroy()
      throw error
    }
    return s3Blobs(place, options)
  } catch (error) {
    throw s3Failure(error, 'Opening the bucket')
  }
}
