/**
 * A blob store with copies of what was read in a directory of this machine. Blobs never change, so a copy is right as long as
 * its checksum is.
 */
import { join } from 'node:path'
import { type BlobId, type BlobStore, isStorageError, schema as checks, StorageError } from '@varve/core'
import { assertBlobId } from '../blobs/blob-paths.ts'
import { openWrites } from '../blobs/open-writes.ts'
import { closeAll } from '../files/close-all.ts'
import { createDirectories, ensureDirectory } from '../files/durable-files.ts'
import { onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import type { FileLock } from '../store-directory/lock/file-lock.ts'
import { lockFile } from '../store-directory/lock/lock-file.ts'
import { CachedHandle, type Fetches } from './cached-handle.ts'
import { ChunkCache } from './chunk-cache.ts'

/** Where copies of blobs are kept. */
export interface CachedBlobsOptions {
  /** A directory of this cache alone; made if it is missing. One process uses it at a time. */
  readonly directory: string
  /** The most bytes of all copies. */
  readonly maxBytes: number
  /** @default node:fs */
  readonly fs?: FileSystem
}

const cacheOptions = checks.object<CachedBlobsOptions>({
  directory: checks.text({ min: 1 }),
  maxBytes: checks.integer({ min: 0 }),
  fs: checks.optional(
    checks.implementing<FileSystem>('a file system', ['open', 'mkdir', 'unlink', 'readdir', 'sizes']),
  ),
})

const methods = ['write', 'open', 'delete', 'list', 'discardUnfinished', 'close'] as const

/**
 * Closing it closes `blobs` too.
 * @throws StorageError `InvalidArgument`; `StoreLocked` when another process uses the directory; `NoSpace`, `BlobFailed` when
 * it cannot be made or read
 */
export async function cachedBlobs(blobs: BlobStore, given: CachedBlobsOptions): Promise<BlobStore> {
  const store = checks.checked('blobs', checks.implementing<BlobStore>('a blob store', methods), blobs)
  const { directory, maxBytes, fs = nodeFileSystem } = checks.checked('options', cacheOptions, given)
  const chunks = join(directory, 'chunks')
  await onMedium('BlobFailed', 'Making the directory of the cache', () => createDirectories(fs, directory))
  const lock = await locked(directory)
  try {
    const cache = await onMedium('BlobFailed', 'Opening the cache', async () => {
      await ensureDirectory(fs, chunks)
      return ChunkCache.open(fs, chunks, maxBytes)
    })
    return throughCache(store, cache, () => lock.release())
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function locked(directory: string): Promise<FileLock> {
  try {
    return await lockFile(directory)
  } catch (error) {
    if (!isStorageError(error, 'JournalFailed')) throw error
    throw new StorageError('BlobFailed', error.message, { details: error.details, cause: error })
  }
}

function throughCache(blobs: BlobStore, cache: ChunkCache, release: () => Promise<void>): BlobStore {
  const fetches: Fetches = new Map()
  const handles = new OpenById()
  const { assertOpen, close: closeWrites } = openWrites()

  async function forget(ids: readonly BlobId[]): Promise<void> {
    const gone = new Set(ids)
    handles.markDeleted(ids)
    for (const fetch of fetches.values()) if (gone.has(fetch.id)) fetch.isKept = false
    for (const id of gone) await cache.drop(id)
  }

  async function forgetting<T>(ids: readonly BlobId[], work: () => Promise<T>): Promise<T> {
    assertOpen()
    ids.forEach(assertBlobId)
    await handles.ensureOpen(ids)
    await forget(ids)
    const result = await work()
    // Something may have been read and kept meanwhile.
    await forget(ids)
    return result
  }

  const { discard, purge, replace } = blobs
  let closed: Promise<void> | undefined
  return {
    write: (id, source, signal) => blobs.write(id, source, signal),
    ...(replace && {
      async replace(id, source, signal) {
        assertOpen()
        const size = await replace.call(blobs, id, source, signal)
        // The chunks that are kept may be those that are damaged.
        await forget([id])
        return size
      },
    }),
    async open(id) {
      assertOpen()
      assertBlobId(id)
      const source = { cache, fetches, open: () => blobs.open(id) }
      const known = cache.sizeOf(id)
      const opened = known === undefined ? await blobs.open(id) : undefined
      const handle = new CachedHandle(id, known ?? opened?.size ?? 0, source, opened)
      return handles.add(id, handle)
    },
    delete: (ids) => forgetting(ids, () => blobs.delete(ids)),
    ...(purge && { purge: (ids) => forgetting(ids, () => purge.call(blobs, ids)) }),
    ...(discard && { discard: (ids) => forgetting(ids, () => discard.call(blobs, ids)) }),
    list: () => blobs.list(),
    discardUnfinished: () => blobs.discardUnfinished(),
    close: () => (closed ??= closeAll([closeWrites, () => cache.close(), () => blobs.close(), release])),
  }
}

/** The open handles of each blob. */
class OpenById {
  readonly #handles = new Map<BlobId, Set<CachedHandle>>()

  add(id: BlobId, handle: CachedHandle) {
    const handles = this.#handles.get(id) ?? new Set()
    this.#handles.set(id, handles.add(handle))
    return {
      size: handle.size,
      read: (into: Uint8Array, start: number) => handle.read(into, start),
      close: () => {
        handles.delete(handle)
        if (handles.size === 0 && this.#handles.get(id) === handles) this.#handles.delete(id)
        return handle.close()
      },
    }
  }

  /** A handle that was only read from the cache must not lose the rest of its blob. */
  async ensureOpen(ids: readonly BlobId[]): Promise<void> {
    await Promise.allSettled(this.#of(ids).map((handle) => handle.ensureOpen()))
  }

  markDeleted(ids: readonly BlobId[]): void {
    for (const handle of this.#of(ids)) handle.markDeleted()
  }

  #of(ids: readonly BlobId[]): readonly CachedHandle[] {
    return ids.flatMap((id) => [...(this.#handles.get(id) ?? [])])
  }
}
