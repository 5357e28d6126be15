import type { ObjectInfo } from '@varve/core'
import type { ObjectContext } from '../contract/operation.ts'

type Naming = Pick<ObjectContext, 'store' | 'bucket' | 'key' | 'versionId' | 'client'>

/** The current object that a request names, without checking conditions. @throws StorageError as `head` does */
export const namedObject = ({ store, bucket, key, versionId, client: { signal } }: Naming): Promise<ObjectInfo> =>
  store.objects.head(bucket, key, { ...(versionId !== undefined && { versionId }), signal })
