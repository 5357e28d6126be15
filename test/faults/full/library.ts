/** The store in this process. */
import { setTimeout as delay } from 'node:timers/promises'
import { isStorageError, openStore, type Store } from 'varve'
import { makingOf } from '../../layouts/layout-parts.ts'
import type { Place } from '../load/load.ts'
import { type Holder, Refusal, type Target } from './target.ts'

export async function holdInProcess({ directory, layout }: Place): Promise<Holder> {
  const open = () => openStore(directory, makingOf(layout))
  let store = await open()
  return {
    target: targetOf(() => store),
    pid: process.pid,
    async recover() {
      if (store.state !== 'open') {
        await store.close()
        store = await open()
      }
      for (let tries = 0; ; tries++) {
        try {
          await store.buckets.create('recovered')
          return await store.buckets.delete('recovered')
        } catch (error) {
          // It looks for free space once a second.
          if (!isStorageError(error, 'NoSpace') || tries === 20) throw error
          await delay(100)
        }
      }
    },
    close: () => store.close(),
  }
}

function targetOf(current: () => Store): Target {
  const writes = {
    createBucket: (bucket) => current().buckets.create(bucket).then(nothing),
    deleteBucket: (bucket) => current().buckets.delete(bucket),
    enableVersioning: (bucket) => current().buckets.setVersioning(bucket, 'Enabled').then(nothing),
    put: async (bucket, key, body) => (await current().objects.put(bucket, key, body)).versionId,
    copy: (bucket, from, key) => current().objects.copy({ bucket, key: from }, bucket, key).then(nothing),
    delete: (bucket, key) => current().objects.delete(bucket, key).then(nothing),
    deleteVersion: (bucket, key, id) => current().versions.delete(bucket, key, id).then(nothing),
    async deleteMany(bucket, keys) {
      const targets = keys.map((key) => ({ key }))
      for (const outcome of await current().objects.deleteMany(bucket, targets))
        if ('error' in outcome) throw outcome.error
    },
    createUpload: (bucket, key) => current().uploads.create(bucket, key),
    uploadPart: (upload, partNumber, body) => current().uploads.uploadPart(upload, partNumber, body),
    copyPart: ({ bucket, key, uploadId }, partNumber, from) =>
      current().uploads.copyPart({ bucket, key, uploadId }, partNumber, { bucket, key: from }),
    complete: (upload, parts) => current().uploads.complete(upload, parts).then(nothing),
    abort: (upload) => current().uploads.abort(upload),
  } satisfies Partial<Target>
  const reads = {
    get: (bucket, key, versionId) =>
      current()
        .objects.get(bucket, key, versionId === undefined ? {} : { versionId })
        .then((object) => object.text())
        .catch(absent('NoSuchKey', 'NoSuchVersion', 'NoSuchBucket')),
    async hasBucket(bucket) {
      for await (const { name } of current().buckets.list()) if (name === bucket) return true
      return false
    },
    isVersioned: async (bucket) => (await current().buckets.getVersioning(bucket)) === 'Enabled',
    async uploads(bucket) {
      const keys: string[] = []
      for await (const entry of current().uploads.list(bucket)) if (entry.kind === 'upload') keys.push(entry.key)
      return keys
    },
    async parts(upload) {
      const numbers: number[] = []
      for await (const { partNumber } of current().uploads.listParts(upload)) numbers.push(partNumber)
      return numbers
    },
  } satisfies Partial<Target>
  return { ...refusing(writes), ...reads }
}

const nothing = (): void => undefined

const absent =
  (...codes: Parameters<typeof isStorageError>[1][]) =>
  (error: unknown): undefined => {
    if (!isStorageError(error, ...codes)) throw error
  }

/** The same functions. They throw a `Refusal` where the store refuses the write. */
function refusing<T extends Partial<Target>>(writes: T): T {
  const wrapped = Object.entries(writes).map(([name, write]) => [
    name,
    (...args: never[]) => (write as (...given: never[]) => Promise<unknown>)(...args).catch(refuse),
  ])
  return Object.fromEntries(wrapped) as T
}

function refuse(error: unknown): never {
  if (isStorageError(error, 'NoSpace')) throw new Refusal('full', error.message)
  if (isStorageError(error, 'StoreFailed')) throw new Refusal('unavailable', error.message)
  throw error
}
