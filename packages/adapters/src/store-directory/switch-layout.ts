/**
 * The end of a migration: the new parts in `migrating/` replace those of the store. FORMAT has the state `switching`
 * from the moment the new parts are complete until all of them are in place, so that an opening after a crash finishes
 * the work first; each step can be repeated.
 */
import { join } from 'node:path'
import { namesIn } from '../blobs/readable-blobs.ts'
import { syncDirectory } from '../files/durable-files.ts'
import { allowing, onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { layoutOf } from '../layouts/layout.ts'
import { type StoreFormat, writeFormat } from './store-format.ts'
import { storePaths } from './store-paths.ts'
import { rm } from '../files/patient-files.ts'

/** The directory in which a migration creates the new store. */
export const migrationDirectory = (directory: string): string => join(directory, 'migrating')

/** @throws StorageError `NoSpace` or `JournalFailed`; the next opening of the store continues the switch. */
export async function switchLayout(fs: FileSystem, directory: string, format: StoreFormat): Promise<void> {
  const { seal, format: formatPath } = storePaths(directory)
  await onMedium('JournalFailed', 'Forgetting how the log was left', async () => {
    await allowing('ENOENT', () => fs.unlink(seal))
    await syncDirectory(fs, migrationDirectory(directory))
    await syncDirectory(fs, directory)
  })
  await writeFormat(fs, formatPath, { ...format, state: 'switching' })
  await finishSwitch(fs, directory, format)
}

/** Returns the format of the store after the switch. */
export async function finishSwitch(fs: FileSystem, directory: string, format: StoreFormat): Promise<StoreFormat> {
  const from = migrationDirectory(directory)
  const { blobs } = layoutOf(format.layout)
  await onMedium('JournalFailed', 'Putting the migrated store in its place', async () => {
    const made = new Set(await namesIn(fs, from))
    for (const part of ['events', 'blobs', 'segments', 'tmp', 'witness']) {
      if (!made.has(part)) continue
      await remove(join(directory, part))
      await fs.rename(join(from, part), join(directory, part))
    }
    if (blobs === 'files') await remove(join(directory, 'segments'))
    if (made.size > 0) await syncDirectory(fs, from)
    await syncDirectory(fs, directory)
    await remove(from)
  })
  const ready: StoreFormat = { ...format, state: 'ready' }
  await writeFormat(fs, storePaths(directory).format, ready)
  return ready
}

const remove = (path: string): Promise<void> => rm(path, { recursive: true, force: true })
