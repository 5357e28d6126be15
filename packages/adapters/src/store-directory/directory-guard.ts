/**
 * Watches that the path of an open store still leads to the directory that was opened. After a rename, files that are open
 * go on in the moved directory while names are looked up at the old path: what was written there would be lost to both.
 */
import { type BlobStore, isStorageError, type Journal, StorageError } from '@varve/core'
import { errnoOf } from '../files/errno.ts'
import type { FileIdentity, FileSystem } from '../files/file-system.ts'

/**
 * How old a look may be that a commit relies on, in milliseconds: a commit lies in the directory that was opened wherever that is.
 * Blobs are found by name, so a blob that was written, or cannot be found, is looked into at once.
 */
const freshMs = 50

export class DirectoryGuard {
  readonly #fs: FileSystem
  readonly #path: string
  readonly #identity: FileIdentity
  #lookedAt = Number.NEGATIVE_INFINITY
  #moved = false

  constructor(fs: FileSystem, path: string, identity: FileIdentity) {
    this.#fs = fs
    this.#path = path
    this.#identity = identity
  }

  /** @throws StorageError `BlobFailed` with `details.kind` `directory`, which stops the store's writes. */
  async check({ fresh = false }: { readonly fresh?: boolean } = {}): Promise<void> {
    const now = performance.now()
    if (!this.#moved && (fresh || now - this.#lookedAt > freshMs)) {
      this.#moved = await this.#isElsewhere()
      this.#lookedAt = now
    }
    if (this.#moved) throw moved()
  }

  async #isElsewhere(): Promise<boolean> {
    try {
      const { dev, ino } = await this.#fs.stat(this.#path)
      return dev !== this.#identity.dev || ino !== this.#identity.ino
    } catch (error) {
      // What else a look can fail with says nothing about where the directory is.
      return errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR'
    }
  }
}

/** A journal that commits only while the directory is where it was. */
export const guardedJournal = (journal: Journal, guard: DirectoryGuard): Journal => ({
  ...journal,
  async commit(commit) {
    await guard.check()
    return journal.commit(commit)
  },
})

/** Blobs that are neither written nor deleted elsewhere, and not missed because their directory moved. */
export function guardedBlobs(blobs: BlobStore, guard: DirectoryGuard): BlobStore {
  const checked = async <T>(work: () => Promise<T>): Promise<T> => {
    await guard.check()
    return orMoved(work)
  }
  const orMoved = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (isStorageError(error, 'BlobMissing', 'BlobFailed')) await guard.check({ fresh: true })
      throw error
    }
  }
  return {
    async write(id, source, signal) {
      const size = await checked(() => blobs.write(id, source, signal))
      // Its name was looked up on the way: only a look from now on shows that it lies in the directory of its event.
      await guard.check({ fresh: true })
      return size
    },
    open: (id) => orMoved(() => blobs.open(id)),
    async delete(ids) {
      await guard.check({ fresh: true })
      return blobs.delete(ids)
    },
    list: () => blobs.list(),
    discardUnfinished: () => checked(() => blobs.discardUnfinished()),
    close: () => blobs.close(),
  }
}

const moved = (): StorageError =>
  new StorageError('BlobFailed', 'The directory of the store was moved or replaced while it was open.', {
    details: { kind: 'directory' },
  })
