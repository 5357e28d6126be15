/** The buckets of a request as they were read, once, for all that is judged on them. */

import type { BucketInfo, ReadSet, RequestStore } from '@varve/core'
import type { BucketAccessReader } from './bucket-access.ts'
import type { BucketAccess } from './decide-access.ts'

export interface JudgedBucket {
  readonly access: BucketAccess
  readonly settings: BucketInfo['settings']
}

export interface JudgedBuckets {
  /** Absent where the request has none. */
  readonly own: JudgedBucket | undefined
  /** Of a copy's source. */
  readonly source: JudgedBucket | undefined
  readonly readSet: ReadSet
}

export async function readBucket(
  store: RequestStore,
  reader: BucketAccessReader,
  bucket: string | undefined,
): Promise<JudgedBucket | undefined> {
  if (bucket === undefined) return undefined
  const info = await store.buckets.head(bucket)
  const { owner, settings } = info
  return { access: settings === undefined ? { owner } : await reader.read(store, info), settings }
}
