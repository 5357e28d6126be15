/** The bucket that is imported into. */
import { type CreateBucketOptions, isStorageError } from '@varve/core'
import type { ImportingStore } from './archived-store.ts'

/** True if the bucket was created. One that is there stays as it is. */
export async function ensureImportBucket(
  { buckets }: ImportingStore,
  bucket: string,
  { signal, ...options }: { readonly [K in keyof CreateBucketOptions]: CreateBucketOptions[K] | undefined },
): Promise<boolean> {
  const { versioning, settings, owner } = options
  const sending = signal === undefined ? {} : { signal }
  try {
    await buckets.head(bucket, sending)
    return false
  } catch (error) {
    if (!isStorageError(error, 'NoSuchBucket')) throw error
  }
  await buckets.create(bucket, {
    ...(versioning && { versioning }),
    ...(settings && { settings }),
    ...(owner && { owner }),
    ...sending,
  })
  return true
}
