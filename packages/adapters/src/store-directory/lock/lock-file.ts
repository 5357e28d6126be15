/**
 * A lock in the directory itself, on the file `lock`: it holds for every process that reaches the directory through one
 * kernel, whatever its network or PID namespace, container or user. The kernel releases it when the owner dies.
 *
 * On Linux it is an open file description lock (`fcntl`, `F_OFD_SETLK`) on the whole file, which a second opening in
 * one process cannot drop; `flock` on macOS, `LockFileEx` on Windows. Where the addon for it has no build, LevelDB
 * locks the same file: see `level-lock.ts`. Varve never removes the file. Its mode is 0600, and a write lock needs a
 * writable descriptor, so that another user cannot take it.
 */
import { constants, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { StorageError } from '@varve/core'
import { errnoOf, onMedium } from '../../files/errno.ts'
import { type FileLock, giveToOwner, isAt, lockedByAnother } from './file-lock.ts'
import { lockByLevel } from './level-lock.ts'
import { open } from '../../files/patient-files.ts'

/** Its name in the directory. */
export const lockFileName = 'lock'

/** The file can be removed while it is being locked. That lock excludes no one, so the new file is locked instead. */
const attemptsMax = 10

/**
 * @param load loads the addon; `undefined` where it has no build for the platform
 * @throws StorageError `StoreLocked` when another owner holds it; `details.kind` is `unavailable` when the file system
 *   has no such locks. `JournalFailed` or `NoSpace` when the file cannot be made.
 */
export async function lockFile(
  directory: string,
  load: () => Promise<TryLock | undefined> = loadTryLock,
): Promise<FileLock> {
  const path = join(directory, lockFileName)
  const tryLock = await load()
  const take = tryLock === undefined ? () => lockByLevel(directory, path) : () => lockByAddon(path, tryLock)
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const lock = await take()
    if (lock !== undefined) return lock
  }
  throw new StorageError('JournalFailed', 'The lock file of the store is removed again and again.')
}

/** `undefined` when the locked file is not the one at `path` any more. */
async function lockByAddon(path: string, tryLock: TryLock): Promise<FileLock | undefined> {
  const file = await onMedium('JournalFailed', 'Opening the lock file', () => openLockFile(path))
  // The directory cannot be written to, so no process writes through this path.
  if (file === undefined) return { release: async () => undefined, isInPlace: async () => true }
  const { handle } = file
  try {
    takeOrRefuse(file, tryLock)
    // As long as the file is open, no other file gets its inode number.
    const identity = await handle.stat({ bigint: true })
    if (await isAt(path, identity)) {
      let releasing: Promise<void> | undefined
      return { release: () => (releasing ??= handle.close()), isInPlace: () => isAt(path, identity) }
    }
  } catch (error) {
    await handle.close()
    throw error
  }
  await handle.close()
  return undefined
}

interface LockFile {
  readonly handle: FileHandle
  /** The file is open for reading only: the lock can only show whether there is an owner. */
  readonly readOnly: boolean
}

const cannotWrite: ReadonlySet<unknown> = new Set(['EROFS', 'EACCES', 'EPERM'])

async function openLockFile(path: string): Promise<LockFile | undefined> {
  // Windows does not have all of these flags; a missing one counts as 0.
  const { O_RDWR, O_RDONLY, O_CREAT, O_NOFOLLOW } = constants
  try {
    const handle = await open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
    await giveToOwner(handle, path)
    return { handle, readOnly: false }
  } catch (error) {
    if (!cannotWrite.has(errnoOf(error))) throw error
  }
  try {
    return { handle: await open(path, O_RDONLY | O_NOFOLLOW), readOnly: true }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Takes a lock on a whole file, or returns false when another owner has it. */
export type TryLock = (fd: number, options: { readonly shared: boolean }) => boolean

function takeOrRefuse({ handle, readOnly }: LockFile, tryLock: TryLock): void {
  let taken: boolean
  try {
    taken = tryLock(handle.fd, { shared: readOnly })
  } catch (cause) {
    const message = 'The file system of the store has no locks.'
    throw new StorageError('StoreLocked', message, { details: { kind: 'unavailable' }, cause })
  }
  if (!taken) throw lockedByAnother()
}

let loading: Promise<TryLock | undefined> | undefined

/** Without the addon, LevelDB's lock is used. Deno lacks functions that the addon calls, and loading it ends the process. */
function loadTryLock(): Promise<TryLock | undefined> {
  if ('deno' in process.versions) return Promise.resolve(undefined)
  loading ??= import('fs-native-extensions').then(
    ({ default: { tryLock } }) => tryLock,
    () => undefined,
  )
  return loading
}
