/**
 * Directories for copies that a reader makes for itself, in the directory for temporary files. Each is locked while its process uses it. A
 * killed process leaves its directory, and the next process that makes one removes it.
 */
import { lstat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onMedium } from '../files/errno.ts'
import { mkdir, mkdtemp, readdir, rm } from '../files/patient-files.ts'
import type { FileLock } from './lock/file-lock.ts'
import { lockFile } from './lock/lock-file.ts'

const prefix = 'varve-read-'
/** A directory that is younger may be one that is not locked yet, in milliseconds. */
const youngMs = 60_000

const held = new Map<string, FileLock>()

/** With mode 0700. @throws StorageError `JournalFailed`, `NoSpace` */
export async function privateScratch(): Promise<string> {
  const parent = tmpdir()
  await removeLeft(parent).catch(() => undefined)
  return onMedium('JournalFailed', 'Making a temporary directory', async () => {
    const directory = await mkdtemp(join(parent, prefix))
    held.set(directory, await lockFile(directory))
    const scratch = join(directory, 'copy')
    await mkdir(scratch)
    return scratch
  })
}

/** Removes what `privateScratch` has made. */
export const removeScratch = (scratch: string): Promise<void> => remove(dirname(scratch))

async function remove(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true }).catch(() => undefined)
  await held.get(directory)?.release()
  held.delete(directory)
}

/** Those of other users cannot be locked, and stay. */
async function removeLeft(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue
    const directory = join(parent, name)
    try {
      const found = await lstat(directory)
      if (held.has(directory) || !found.isDirectory() || Date.now() - found.mtimeMs < youngMs) continue
      held.set(directory, await lockFile(directory))
      await remove(directory)
    } catch {
      // Another process uses it, or has removed it.
    }
  }
}
