/** S3's errors for reading and changing annotations of versions. */

import { isStorageError } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import type { ObjectContext } from '../contract/operation.ts'

/** For `catch`: throws S3's error for a delete marker, which has no annotations. Other errors pass. */
export const explainAnnotationError =
  (method: 'DELETE' | 'GET' | 'PUT') =>
  (error: unknown): never => {
    if (isStorageError(error, 'MethodNotAllowed', 'NoSuchKey') && error.details['DeleteMarker'] === true) {
      throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.', {
        details: { Method: method, ResourceType: 'DeleteMarker' },
        headers: {
          allow: 'DELETE',
          'x-amz-delete-marker': 'true',
          'x-amz-version-id': String(error.details['VersionId']),
        },
      })
    }
    throw error
  }

/**
 * Throws the error for a missing lock configuration, of the bucket or of the version.
 * @throws S3Error `InvalidRequest`, `NoSuchObjectLockConfiguration`.
 */
export async function noLock({ store, bucket, client }: ObjectContext): Promise<never> {
  const { settings } = await store.buckets.head(bucket, { signal: client.signal })
  if (settings?.ObjectLock === undefined) {
    throw new S3Error('InvalidRequest', 'Bucket is missing Object Lock Configuration')
  }
  throw new S3Error('NoSuchObjectLockConfiguration', 'The specified object does not have a ObjectLock configuration')
}
