/**
 * A journal that one process has at a time, for databases that let several in. Journals on LevelDB have LevelDB's own lock beside
 * that of the store's directory, which keeps out a release that knows no other. So these get one too: an empty LevelDB that stays open as long as they.
 */
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isStorageError, type Journal } from '@varve/core'
import { namesIn } from '../blobs/readable-blobs.ts'
import { closeAll } from '../files/close-all.ts'
import { nodeFileSystem } from '../files/file-system.ts'
import type { LevelDatabase } from '../level-journal/level-database.ts'
import { openLevelDirectory } from '../level-journal/open-level-directory.ts'

/** @throws StorageError `StoreLocked` when another process has it: `open` is not called then. And what `open` throws. */
export async function ownedJournal(directory: string, open: () => Promise<Journal>): Promise<Journal> {
  // Without a directory there is no log, which `open` reports.
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

/** An empty LevelDB, for its lock. @throws StorageError `StoreLocked` when another process has it */
export async function emptyLevel(path: string): Promise<LevelDatabase> {
  try {
    return await openLevelDirectory(path, { createIfMissing: true })
  } catch (error) {
    if (isStorageError(error, 'StoreLocked', 'NoSpace')) throw error
    // Damaged, or of a crash: there is nothing in it that could be lost, but the file that others may have locked.
    for (const name of await namesIn(nodeFileSystem, path)) {
      if (name !== 'LOCK') await rm(join(path, name), { recursive: true, force: true })
    }
    return openLevelDirectory(path, { createIfMissing: true })
  }
}
