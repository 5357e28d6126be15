/** The store's refusals to say something of a version, or to tell what is said of it. */

import { isStorageError } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import type { ObjectContext } from '../contract/operation.ts'

/** For `catch`: of a delete marker nothing can be said, be it the newest or named by its id. Anything else as it is. */
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
 * Why there is no lock to tell of: the bucket has none, or the version.
 * @throws S3Error `InvalidRequest`, `NoSuchObjectLockConfiguration`.
 */
export async function noLock({ store, bucket, client }: ObjectContext): Promise<never> {
  const { settings } = await store.buckets.head(bucket, { signal: client.signal })
  if (settings?.ObjectLock === undefined) {
    throw new S3Error('InvalidRequest', 'Bucket is missing Object Lock Configuration')
  }
  throw new S3Error('NoSuchObjectLockConfiguration', 'The specified object does not have a ObjectLock configuration')
}
