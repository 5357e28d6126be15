/** Common parts of the locks on the file of a directory. */
import { type FileHandle, lstat, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StorageError } from '@varve/core'
import { allDone } from '../../files/all-done.ts'
import { errnoOf } from '../../files/errno.ts'
import type { FileIdentity } from '../../files/file-system.ts'

/** The lock on a store's directory. One process holds it at a time, and it ends with that process. */
export interface DirectoryLock {
  /** Idempotent. */
  release(): Promise<void>
}

export interface FileLock extends DirectoryLock {
  /** False when the locked file was removed or replaced: then another process can take the lock too. */
  isInPlace(): Promise<boolean>
}

export const lockedByAnother = (details: { readonly pid?: number } = {}): StorageError =>
  new StorageError('StoreLocked', 'Another process, or another part of this one, has the store open.', {
    details,
    hint: 'Use it there with `attachStore`, close it there, or open it with `readOnly`.',
  })

export const isSameFile = (one: FileIdentity, other: FileIdentity): boolean =>
  one.dev === other.dev && one.ino === other.ino

/** False when `path` leads to another file or to none; true also when the system does not show it. */
export async function isAt(path: string, identity: FileIdentity): Promise<boolean> {
  try {
    const found = await lstat(path, { bigint: true })
    // Windows may report more about the device by name than by handle.
    return isSameFile(process.platform === 'win32' ? { ino: found.ino, dev: identity.dev } : found, identity)
  } catch (error) {
    return errnoOf(error) !== 'ENOENT' && errnoOf(error) !== 'ENOTDIR'
  }
}

/** A file that root creates for an inspection, such as `varve verify`, must not keep the owner of the directory out. */
export async function giveToOwner(made: FileHandle, path: string): Promise<void> {
  if (process.geteuid?.() !== 0) return
  const [directory, file] = await allDone([stat(dirname(path)), made.stat()])
  if (directory.uid !== file.uid) await made.chown(directory.uid, directory.gid)
}
