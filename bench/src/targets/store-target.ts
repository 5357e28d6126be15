/** A store in this process. */
import { isStorageError } from '@varve/core'
import type { Store } from 'varve'
import { type ObjectTarget, pageEntries } from './object-target.ts'

export const bucket = 'bench'

/** Closing the target closes the store. */
export async function storeTarget(store: Store, versioned: boolean): Promise<ObjectTarget> {
  await store.buckets.create(bucket)
  if (versioned) await store.buckets.setVersioning(bucket, 'Enabled')
  const { objects } = store
  return {
    async put(key, body) {
      await objects.put(bucket, key, body)
    },
    get: (key) => present(objects.get(bucket, key).then((content) => content.bytes())),
    head: (key) => present(objects.head(bucket, key).then(({ size }) => size)),
    list: async (after) => (await objects.listPage(bucket, { after, limit: pageEntries })).entries.length,
    async delete(key) {
      await objects.delete(bucket, key)
    },
    close: () => store.close(),
  }
}

const present = <T>(found: Promise<T>): Promise<T | undefined> =>
  found.catch((error: unknown) => {
    if (isStorageError(error, 'NoSuchKey')) return undefined
    throw error
  })
