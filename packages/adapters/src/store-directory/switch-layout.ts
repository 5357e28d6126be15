/**
 * The end of a migration: what was made in `migrating/` takes the place of what the store had. FORMAT says `switching`
 * from the moment the new parts are whole until all of them are in place, so that an opening after a crash
 * finishes the work first; each step can be repeated.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { namesIn } from '../blobs/readable-blobs.ts'
import { syncDirectory } from '../files/durable-files.ts'
import { allowing, onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { layoutOf } from '../layouts/layout.ts'
import { type StoreFormat, writeFormat } from './store-format.ts'
import { storePaths } from './store-paths.ts'

/** Where a store of another layout is made. */
export const migrationDirectory = (directory: string): string => join(directory, 'migrating')

/** @throws StorageError `NoSpace` or `JournalFailed`; opening the store again goes on where this stopped. */
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

/** Returns the format the store then has. */
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
