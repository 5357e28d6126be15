/**
 * Limits a journal to one process, for databases that allow several. Journals on LevelDB have LevelDB's own lock beside
 * the lock of the store's directory. It keeps out a release that knows only that lock. These journals get the same
 * lock: an empty LevelDB that is open as long as they are.
 */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isStorageError, type Journal } from '@varve/core'
import { namesIn } from '../blobs/readable-blobs.ts'
import { closeAll } from '../files/close-all.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import type { LevelDatabase } from '../level-journal/level-database.ts'
import { openLevelDirectory } from '../level-journal/open-level-directory.ts'
import { rm } from '../files/patient-files.ts'

/** @throws StorageError `StoreLocked` when another process has the lock, before it calls `open`; what `open` throws. */
export async function ownedJournal(directory: string, open: () => Promise<Journal>): Promise<Journal> {
  // Without a directory there is no log; `open` reports that.
  if (!(await isThere(directory))) return open()
  const lock = await emptyLevel(join(directory, 'owner'))
  try {
    const journal = await open()
    let closing: Promise<void> | undefined
    const closeBoth = () => closeAll([() => journal.close(), () => lock.close()])
    return { ...journal, close: () => (closing ??= closeBoth()) }
  } catch (error) {
    await lock.close().catch(() => undefined)
    throw error
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** Opens an empty LevelDB, as a lock. @throws StorageError `StoreLocked` when another process has it */
export async function emptyLevel(path: string): Promise<LevelDatabase> {
  try {
    return await openLevelDirectory(path, { createIfMissing: true })
  } catch (error) {
    if (isStorageError(error, 'StoreLocked', 'NoSpace')) throw error
    // It is damaged, perhaps by a crash. It holds no data. Only `LOCK` stays: another process may have locked it.
    for (const name of await namesIn(nodeFileSystem, path)) {
      if (name !== 'LOCK') await rm(join(path, name), { recursive: true, force: true })
    }
    return openLevelDirectory(path, { createIfMissing: true })
  }
}
