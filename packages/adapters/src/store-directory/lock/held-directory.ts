/**
 * A directory that this process owns. Functions that change the files of a store take a `HeldDirectory` and not a path,
 * so nothing can be changed before the lock is taken.
 */
import { isStorageError } from '@varve/core'
import { closeAll } from '../../files/close-all.ts'
import { onMedium } from '../../files/errno.ts'
import type { FileIdentity } from '../../files/file-system.ts'
import { DirectoryGuard, type DirectoryGuardOptions } from './directory-guard.ts'
import { claimName, ownerOf } from './directory-name.ts'
import { type DirectoryLock, type FileLock, lockedByAnother } from './file-lock.ts'
import { lockFile } from './lock-file.ts'

/** The locks that limit a directory to one owner. */
export interface DirectoryLocks {
  /** Decides between processes of this release. It creates a file. */
  readonly file: (path: string) => Promise<FileLock>
  /** Keeps release 0.1.0 out. */
  readonly name: (directory: FileIdentity, path: string) => Promise<DirectoryLock>
}

export interface HeldDirectoryOptions extends DirectoryGuardOptions {
  /** @default the locks of this machine */
  readonly lock?: DirectoryLocks
}

/** A store's directory while this process holds its lock. */
export class HeldDirectory {
  readonly path: string
  readonly guard: DirectoryGuard
  readonly #locks: readonly DirectoryLock[]

  private constructor(path: string, guard: DirectoryGuard, locks: readonly DirectoryLock[]) {
    this.path = path
    this.guard = guard
    this.#locks = locks
  }

  /**
   * @param path where there is a store, or nothing yet: a file is created in it
   * @param identity of the directory that was found there
   * @throws StorageError `StoreLocked`: `details.pid` is the owner if the system shows it, and `details.kind` is
   * `unavailable` when no lock can be taken; `BlobFailed` when another directory is there by now; `NoSpace`,
   * `JournalFailed`
   */
  static async take(path: string, identity: FileIdentity, options: HeldDirectoryOptions = {}): Promise<HeldDirectory> {
    const { lock: locks = { file: lockFile, name: claimName } } = options
    const file = await onMedium('JournalFailed', 'Locking the directory', () => locks.file(path)).catch(
      async (error: unknown) => {
        const isHeld = isStorageError(error, 'StoreLocked') && Object.keys(error.details).length === 0
        const pid = isHeld ? await ownerOf(identity) : undefined
        throw pid === undefined ? error : lockedByAnother({ pid })
      },
    )
    const taken: DirectoryLock[] = [file]
    try {
      taken.push(await onMedium('JournalFailed', 'Naming the directory', () => locks.name(identity, path)))
      const guard = new DirectoryGuard(path, identity, file, options)
      await guard.check()
      return new HeldDirectory(path, guard, taken)
    } catch (error) {
      await releaseAll(taken).catch(() => undefined)
      throw error
    }
  }

  /** @throws StorageError `BlobFailed` when the directory or its lock is not in its place: see `DirectoryGuard` */
  assertHeld(): Promise<void> {
    return this.guard.check({ fresh: true })
  }

  /** False when the directory or its lock is not in its place. */
  isHeld(): Promise<boolean> {
    return this.assertHeld().then(
      () => true,
      () => false,
    )
  }

  /** Idempotent. */
  release(): Promise<void> {
    return releaseAll(this.#locks)
  }
}

/** Releases the file's lock last: the next owner must find the name free. */
const releaseAll = (locks: readonly DirectoryLock[]): Promise<void> =>
  closeAll([...locks].reverse().map((lock) => () => lock.release()))
