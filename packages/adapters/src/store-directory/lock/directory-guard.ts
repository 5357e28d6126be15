/**
 * Watches that the path of an open store still leads to the directory that was opened, and to the lock that was taken
 * in it. After a rename, open files stay in the moved directory, but names are looked up at the old path: files that
 * are written there would be lost to both. Without its lock file, another process could own the store.
 */
import { type BlobStore, isStorageError, StorageError, type TimeRecord, type Witness } from '@varve/core'
import { allDone } from '../../files/all-done.ts'
import { errnoOf } from '../../files/errno.ts'
import type { FileIdentity, FileSystem } from '../../files/file-system.ts'
import { nodeFileSystem } from '../../files/node-file-system.ts'
import { type FileLock, isSameFile } from './file-lock.ts'

/**
 * The greatest age of a check that a commit may rely on, in milliseconds. A commit goes to an open file, so it reaches
 * the right directory in any case. Blobs are found by name, so a check runs at once when a blob was written or is
 * missing.
 */
const freshMs = 50

export interface DirectoryGuardOptions {
  /** @default node:fs */
  readonly fs?: FileSystem
  /** A monotonic clock in milliseconds, from any start. @default performance.now */
  readonly now?: () => number
}

type Loss = 'directory' | 'lock'

export class DirectoryGuard {
  readonly #fs: FileSystem
  readonly #now: () => number
  readonly #path: string
  readonly #identity: FileIdentity
  readonly #lock: Pick<FileLock, 'isInPlace'>
  #lookedAt = Number.NEGATIVE_INFINITY
  #lost: Loss | undefined
  #look: Promise<void> | undefined
  #nextLook: Promise<void> | undefined

  constructor(
    path: string,
    identity: FileIdentity,
    lock: Pick<FileLock, 'isInPlace'>,
    { fs = nodeFileSystem, now = () => performance.now() }: DirectoryGuardOptions = {},
  ) {
    this.#fs = fs
    this.#now = now
    this.#path = path
    this.#identity = identity
    this.#lock = lock
  }

  /**
   * Once the directory or its lock was lost, every check fails: another owner may have used the store meanwhile.
   * @throws StorageError `BlobFailed`, which stops the store's writes; `details.kind` is `directory` or `lock`
   */
  async check({ fresh = false }: { readonly fresh?: boolean } = {}): Promise<void> {
    if (this.#lost === undefined && (fresh || this.#now() - this.#lookedAt > freshMs)) await this.#lookFromNow()
    if (this.#lost !== undefined) throw lost(this.#lost)
  }

  /** A check that begins now or later: calls during a running check share the next one. */
  #lookFromNow(): Promise<void> {
    if (this.#look === undefined) return this.#beginLook()
    this.#nextLook ??= this.#look.then(() => {
      this.#nextLook = undefined
      return this.#beginLook()
    })
    return this.#nextLook
  }

  #beginLook(): Promise<void> {
    const look = this.#lookNow().finally(() => {
      if (this.#look === look) this.#look = undefined
    })
    this.#look = look
    return look
  }

  async #lookNow(): Promise<void> {
    const now = this.#now()
    const [isElsewhere, isLocked] = await allDone([this.#isElsewhere(), this.#lock.isInPlace()])
    if (isElsewhere || !isLocked) this.#lost ??= isElsewhere ? 'directory' : 'lock'
    this.#lookedAt = now
  }

  async #isElsewhere(): Promise<boolean> {
    try {
      return !isSameFile(await this.#fs.stat(this.#path), this.#identity)
    } catch (error) {
      // Other errors do not show where the directory is.
      return errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR'
    }
  }
}

/** Blobs that are never written to or deleted from another directory, nor missed because their directory moved. */
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
  const written = async (write: () => Promise<number>): Promise<number> => {
    const size = await checked(write)
    // The write looked up names: only a check from now on shows that the blob is in the directory of its event.
    await guard.check({ fresh: true })
    return size
  }
  const { discard, purge, replace } = blobs
  return {
    write: (id, source, signal) => written(() => blobs.write(id, source, signal)),
    ...(replace && { replace: (id, source, signal) => written(() => replace(id, source, signal)) }),
    open: (id) => orMoved(() => blobs.open(id)),
    async delete(ids) {
      if (ids.length === 0) return
      await guard.check({ fresh: true })
      return blobs.delete(ids)
    },
    ...(purge && {
      async purge(ids) {
        await guard.check({ fresh: true })
        return purge(ids)
      },
    }),
    ...(discard && {
      async discard(ids) {
        if (ids.length === 0) return
        await guard.check({ fresh: true })
        return discard(ids)
      },
    }),
    list: () => blobs.list(),
    discardUnfinished: () => checked(() => blobs.discardUnfinished()),
    close: () => blobs.close(),
  }
}

/** A small file of the store that is replaced only while the directory is in its place. */
export const guardedRecord = <T extends Witness | TimeRecord>(record: T, guard: DirectoryGuard): T => ({
  ...record,
  async write(value: Parameters<T['write']>[0]) {
    await guard.check({ fresh: true })
    return (record.write as (value: Parameters<T['write']>[0]) => Promise<void>)(value)
  },
})

const messages: Readonly<Record<Loss, string>> = {
  directory: 'The directory of the store was moved or replaced while it was open.',
  lock: 'The lock file of the store was removed or replaced while it was open: another process may have opened it.',
}

const lost = (kind: Loss): StorageError => new StorageError('BlobFailed', messages[kind], { details: { kind } })
