/**
 * A lock in the directory itself, on the file `lock`: it holds for every process that reaches the directory through one
 * kernel, whatever its network or PID namespace, container or user. The kernel releases it when the owner dies.
 *
 * On Linux it is an open file description lock (`fcntl`, `F_OFD_SETLK`), which a second opening in one process cannot drop;
 * `flock` on macOS, `LockFileEx` on Windows. The file is never removed: a process could then hold the lock of a file that
 * no path leads to. Its mode is 0600, and a write lock needs a writable descriptor, so that another user cannot take it.
 */
import { constants, type FileHandle, open, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StorageError } from '@varve/core'
import { errnoOf, onMedium } from '../files/errno.ts'
import { emptyLevel } from '../layouts/owned-journal.ts'
import type { DirectoryLock } from './directory-lock.ts'

/** Its name in the directory, and that of the empty LevelDB where the addon has no build. */
export const lockFileName = 'lock'
export const levelLockName = 'owner'

/**
 * @throws StorageError `StoreLocked` when another owner holds it; `details.kind` is `unavailable` when the file system has
 *   no such locks. `JournalFailed` or `NoSpace` when the file cannot be made.
 */
export async function lockFile(directory: string): Promise<DirectoryLock> {
  const tryLock = await loadTryLock()
  // LevelDB brings a lock of its own to every platform it runs on: `fcntl`, which `directory-lock.ts` completes in a process.
  if (tryLock === undefined) {
    const lock = await emptyLevel(join(directory, levelLockName))
    return { release: () => lock.close() }
  }
  const file = await onMedium('JournalFailed', 'Opening the lock file', () =>
    openLockFile(join(directory, lockFileName)),
  )
  // The medium cannot be written, so nobody has it for writing through this path.
  if (file === undefined) return { release: async () => undefined }
  try {
    takeOrRefuse(file, tryLock)
  } catch (error) {
    await file.handle.close()
    throw error
  }
  let releasing: Promise<void> | undefined
  return { release: () => (releasing ??= file.handle.close()) }
}

interface LockFile {
  readonly handle: FileHandle
  /** Opened for reading: it can only show whether an owner is there. */
  readonly readOnly: boolean
}

const cannotWrite: ReadonlySet<unknown> = new Set(['EROFS', 'EACCES', 'EPERM'])

async function openLockFile(path: string): Promise<LockFile | undefined> {
  // Windows has no such flag: it counts for nothing there.
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

/** What root makes for a look, such as `varve verify`, must not keep the owner of the directory out. */
async function giveToOwner(handle: FileHandle, path: string): Promise<void> {
  if (process.geteuid?.() !== 0) return
  const [directory, file] = await Promise.all([stat(dirname(path)), handle.stat()])
  if (directory.uid !== file.uid) await handle.chown(directory.uid, directory.gid)
}

type TryLock = (fd: number, options: { readonly shared: boolean }) => boolean

function takeOrRefuse({ handle, readOnly }: LockFile, tryLock: TryLock): void {
  let taken: boolean
  try {
    taken = tryLock(handle.fd, { shared: readOnly })
  } catch (cause) {
    const message = 'The file system of the store has no locks.'
    throw new StorageError('StoreLocked', message, { details: { kind: 'unavailable' }, cause })
  }
  if (!taken) throw new StorageError('StoreLocked', 'Another owner has the store open.')
}

let loading: Promise<TryLock | undefined> | undefined

/** `undefined` where the addon has no build for the platform. */
function loadTryLock(): Promise<TryLock | undefined> {
  loading ??= import('fs-native-extensions').then(
    ({ default: { tryLock } }) => tryLock,
    () => undefined,
  )
  return loading
}
