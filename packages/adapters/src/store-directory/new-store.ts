/**
 * The files of a new store, in an order that a crash may interrupt anywhere: FORMAT is durable before anything else is
 * made, and says `ready` only when the names of everything are durable.
 */
import { dirname, join } from 'node:path'
import type { Ids } from '@varve/core'
import { allDone } from '../files/all-done.ts'
import { ensureDirectory, syncDirectory } from '../files/durable-files.ts'
import { onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { blobStores } from '../layouts/blob-stores.ts'
import { type Layout, type LayoutName, layoutOf } from '../layouts/layout.ts'
import { formatVersion, type StoreFormat, writeFormat } from './store-format.ts'
import { type StorePaths, storePaths } from './store-paths.ts'

/** @throws StorageError `InvalidArgument` for a layout that does not exist; `NoSpace`, `JournalFailed` */
export async function newFormat(
  fs: FileSystem,
  formatPath: string,
  { ids, layout }: { readonly ids: Ids; readonly layout: LayoutName },
): Promise<StoreFormat> {
  const { name } = layoutOf(layout)
  const format: StoreFormat = { storeId: ids.next(), version: formatVersion, state: 'initialising', layout: name }
  await writeFormat(fs, formatPath, format)
  return format
}

/** Their names become durable with `markReady`. @throws StorageError `NoSpace`, `JournalFailed`, `BlobFailed` */
export async function makeDirectories(fs: FileSystem, path: string, { journal, blobs }: Layout): Promise<void> {
  const { events } = storePaths(path, journal)
  await onMedium('JournalFailed', 'Making the directory of the log', () => ensureDirectory(fs, events))
  await onMedium('BlobFailed', 'Making the directories for blobs', async () => {
    for (const name of blobStores[blobs].directories) await ensureDirectory(fs, join(path, name))
  })
}

/** @throws StorageError `NoSpace`, `JournalFailed` */
export async function markReady(fs: FileSystem, paths: StorePaths, format: StoreFormat): Promise<void> {
  const named = [paths.events, dirname(paths.events)]
  await onMedium('JournalFailed', 'Making the log durable', () => allDone(named.map((path) => syncDirectory(fs, path))))
  await writeFormat(fs, paths.format, { ...format, state: 'ready' })
}
