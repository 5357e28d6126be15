/**
 * The lock on the file `lock` where the addon has no build. LevelDB has a lock on every platform it runs on: `fcntl`,
 * on the whole of its file `LOCK`, which conflicts with the lock of the addon. So the `LOCK` of an empty LevelDB in
 * `owner/` is a hard link to `lock`: all processes lock the same file, with or without the addon.
 *
 * An `fcntl` lock belongs to a process. A second opening in the same process gets it too, and the process loses it when
 * it closes any handle of the file. So this module never opens `lock` under its name, and first locks out other
 * threads.
 */
import { randomBytes } from 'node:crypto'
import { constants, type FileHandle, lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isStorageError, StorageError } from '@varve/core'
import { allowing, errnoOf, onMedium } from '../../files/errno.ts'
import type { FileIdentity } from '../../files/file-system.ts'
import { emptyLevel } from '../../layouts/owned-journal.ts'
import { type FileLock, giveToOwner, isAt, isSameFile, lockedByAnother } from './file-lock.ts'
import { lockInProcess } from './process-lock.ts'
import { link, mkdir, open, rename, rm } from '../../files/patient-files.ts'

/** The directory of the empty LevelDB. */
export const levelLockName = 'owner'

/**
 * `undefined` when the file at `path` was replaced meanwhile.
 * @throws StorageError `StoreLocked`: another owner has it, or `details.kind` is `unavailable`: the file system has no
 * hard links. `JournalFailed` or `NoSpace` when files cannot be created.
 */
export async function lockByLevel(directory: string, path: string): Promise<FileLock | undefined> {
  const owner = join(directory, levelLockName)
  const identity = await onMedium('JournalFailed', 'Making the lock file', () => findOrMake(path, owner))
  if (identity === undefined) return undefined
  const own = await lockInProcess(identity)
  try {
    const level = await openOn({ path, owner, identity })
    if (level === undefined) {
      await own.release()
      return undefined
    }
    let releasing: Promise<void> | undefined
    const release = async (): Promise<void> => {
      try {
        await level.close()
      } finally {
        await own.release()
      }
    }
    return { release: () => (releasing ??= release()), isInPlace: () => isAt(path, identity) }
  } catch (error) {
    await own.release()
    throw error
  }
}

async function findOrMake(path: string, owner: string): Promise<FileIdentity | undefined> {
  await makeOwner(owner)
  const found = await fileAt(path)
  if (found !== undefined) return found
  const made = join(owner, `lock.${randomBytes(8).toString('hex')}`)
  try {
    const handle = await open(made, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600)
    // Closed before the file gets its name: a later close could drop a lock that this process holds on it.
    await given(handle, path)
    await allowing('EEXIST', () => linked(made, path))
  } finally {
    await rm(made, { force: true })
  }
  return fileAt(path)
}

async function makeOwner(owner: string): Promise<void> {
  await allowing('EEXIST', () => mkdir(owner, 0o700))
  if (process.geteuid?.() !== 0) return
  const handle = await open(owner, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  await given(handle, owner)
}

async function given(handle: FileHandle, path: string): Promise<void> {
  try {
    await giveToOwner(handle, path)
  } finally {
    await handle.close()
  }
}

/** @throws Error when something other than a file has the name */
async function fileAt(path: string): Promise<FileIdentity | undefined> {
  try {
    const found = await lstat(path, { bigint: true })
    if (found.isFile()) return found
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
  throw new Error(`${path} is not a file.`)
}

interface Shared {
  readonly path: string
  readonly owner: string
  readonly identity: FileIdentity
}

/** LevelDB opens its file by name. It opened the right file if the name led to it both before and after. */
async function openOn({ path, owner, identity }: Shared) {
  const lockOfLevel = join(owner, 'LOCK')
  await onMedium('JournalFailed', 'Making the lock file', () => share(path, lockOfLevel, identity))
  const level = await emptyLevel(owner).catch((error: unknown) => {
    throw isStorageError(error, 'StoreLocked') ? lockedByAnother() : error
  })
  if ((await isAt(path, identity)) && (await isAt(lockOfLevel, identity))) return level
  await level.close()
  return undefined
}

async function share(path: string, lockOfLevel: string, identity: FileIdentity): Promise<void> {
  const found = await fileAt(lockOfLevel)
  if (found !== undefined && isSameFile(found, identity)) return
  const temporary = join(dirname(lockOfLevel), `lock.${randomBytes(8).toString('hex')}`)
  try {
    await allowing('ENOENT', () => linked(path, temporary))
    await allowing('ENOENT', () => rename(temporary, lockOfLevel))
  } finally {
    await rm(temporary, { force: true })
  }
}

const withoutLinks: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

async function linked(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (cause) {
    if (!withoutLinks.has(errnoOf(cause))) throw cause
    const message = 'The file system of the store has no hard links, which its lock needs on this platform.'
    throw new StorageError('StoreLocked', message, { details: { kind: 'unavailable' }, cause })
  }
}
