/**
 * The files of a new store, in an order that a crash may interrupt anywhere: FORMAT is durable before anything else is
 * made, and says `ready` only when the names of everything are durable.
 */
import { dirname, join } from 'node:path'
import type { Ids } from '@varve/core'
import { blobPaths } from '../blobs/blob-paths.ts'
import { shardsIn } from '../blobs/disk-blobs.ts'
import { allDone } from '../files/all-done.ts'
import { ensureDirectory, syncDirectory } from '../files/durable-files.ts'
import { onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { inTurns } from '../files/in-turns.ts'
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

/**
 * A migration fills a store before it is ready, and the next one uses the blobs of one that was killed. Their bytes are
 * durable, but perhaps not their names.
 */
async function syncBlobNames(fs: FileSystem, directory: string): Promise<void> {
  const paths = blobPaths(directory)
  const shards = await shardsIn(fs, paths)
  if (shards.length === 0) return
  await inTurns(shards, (shard) => syncDirectory(fs, shard))
  await syncDirectory(fs, paths.blobs)
}

/** Their names become durable with `markReady`. @throws StorageError `NoSpace`, `JournalFailed`, `BlobFailed` */
export async function makeDirectories(fs: FileSystem, path: string, { journal, blobs }: Layout): Promise<void> {
  const { events } = storePaths(path, journal)
  await onMedium('JournalFailed', 'Making the directory of the log', () => ensureDirectory(fs, events))
  await onMedium('BlobFailed', 'Making the directories for blobs', async () => {
    for (const name of blobStores[blobs].directories) await ensureDirectory(fs, join(path, name))
  })
}

/** @throws StorageError `NoSpace`, `JournalFailed`, `BlobFailed` */
export async function markReady(fs: FileSystem, paths: StorePaths, format: StoreFormat): Promise<void> {
  const directory = dirname(paths.events)
  const named = [paths.events, directory]
  await onMedium('BlobFailed', 'Making blobs durable', () => syncBlobNames(fs, directory))
  await onMedium('JournalFailed', 'Making the log durable', () => allDone(named.map((path) => syncDirectory(fs, path))))
  await writeFormat(fs, paths.format, { ...format, state: 'ready' })
}
