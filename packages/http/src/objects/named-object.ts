import type { ObjectInfo, ReadObjects } from '@varve/core'
import type { ObjectContext } from '../contract/operation.ts'

/** `store`: now, or as of a position. */
type Naming = Pick<ObjectContext, 'bucket' | 'key' | 'versionId' | 'client'> & {
  readonly store: { readonly objects: Pick<ReadObjects, 'head'> }
}

/** The current object that a request names, without checking conditions. @throws StorageError as `head` does */
export const namedObject = ({ store, bucket, key, versionId, client: { signal } }: Naming): Promise<ObjectInfo> =>
  store.objects.head(bucket, key, { ...(versionId !== undefined && { versionId }), signal })
