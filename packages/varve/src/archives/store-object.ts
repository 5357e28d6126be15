/** Stores an imported object: small ones at once, those that are too large for one PUT in parts. */
import { type CompletedPart, limits, StorageError, type WriteConditions } from '@varve/core'
import type { ImportingStore } from './archived-store.ts'
import { ByteQueue } from './byte-queue.ts'
import type { ImportedObject } from './import-entry.ts'
import { abortable } from './source-bytes.ts'

export interface StoringOptions {
  /** Ends what is read. A write that has all its bytes is waited for, so that the caller knows whether it is done. */
  readonly signal?: AbortSignal | undefined
  /** The largest object that is stored by one PUT, and the size of parts, in bytes. @default those of S3, and 1 GiB */
  readonly wholeMax?: number
  readonly partBytes?: number
}

const defaultPartBytes = 1024 ** 3

/** @throws StorageError as `put`, and what the content throws: then nothing was stored */
export async function storeObject(
  store: ImportingStore,
  bucket: string,
  object: ImportedObject,
  { conditions, ...options }: StoringOptions & { readonly conditions: WriteConditions },
): Promise<void> {
  const { signal, wholeMax = limits.uploadSizeMax } = options
  if (object.size > wholeMax) return storeParts(store, bucket, object, { ...options, conditions })
  signal?.throwIfAborted()
  const { key, facts, size } = object
  await store.objects.put(bucket, key, abortable(object.read(), signal), { ...facts, ...conditions, size })
}

async function storeParts(
  { uploads }: ImportingStore,
  bucket: string,
  { key, facts, size, read }: ImportedObject,
  { signal, conditions, partBytes = defaultPartBytes }: StoringOptions & { readonly conditions: WriteConditions },
): Promise<void> {
  // The checksum of the whole is not that of an object in parts.
  const { checksum: _checksum, ...creation } = facts
  signal?.throwIfAborted()
  const upload = await uploads.create(bucket, key, creation)
  const queue = new ByteQueue(abortable(read(), signal))
  try {
    const parts: CompletedPart[] = []
    for (let at = 0; at < size; at += partBytes) {
      const partNumber = parts.length + 1
      const bytes = Math.min(partBytes, size - at)
      const { etag } = await uploads.uploadPart(upload, partNumber, chunks(queue, bytes), { size: bytes })
      parts.push({ partNumber, etag })
    }
    // The content is checked at its end, before the object is there.
    if ((await queue.some(1)) !== undefined)
      throw new StorageError('IncompleteBody', 'The content has more bytes than its size.')
    await uploads.complete(upload, parts, { ...conditions, size })
  } catch (error) {
    await uploads.abort(upload).catch(() => undefined)
    throw error
  } finally {
    await queue.close()
  }
}

async function* chunks(queue: ByteQueue, bytes: number): AsyncGenerator<Uint8Array> {
  for (let left = bytes; left > 0; ) {
    const chunk = await queue.some(left)
    if (chunk === undefined) return
    left -= chunk.length
    yield chunk
  }
}
