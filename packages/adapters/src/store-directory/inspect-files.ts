/** Problems that the files of a store show before a database is opened. */
import { dirname, join, relative } from 'node:path'
import type { Divergence } from '@varve/core'
import { isStorageError } from '@varve/core'
import { isBlobId, isShardName, shardName } from '../blobs/blob-paths.ts'
import { namesIn } from '../blobs/readable-blobs.ts'
import { temporaryOf } from '../files/durable-files.ts'
import type { FileSystem } from '../files/file-system.ts'
import { detectLayout } from './detect-layout.ts'
import { type Layout, layoutOf } from '../layouts/layout.ts'
import { damageSince, type JournalSeal, readSeal } from './journal-seal.ts'
import { assertSettled, readFormat, type StoreFormat } from './store-format.ts'
import { type StorePaths, storePaths } from './store-paths.ts'

export interface FileFindings {
  readonly storeId?: string
  readonly layout: Layout
  /** The files of the log are those that the seal recorded when the store was closed, so no event is missing. */
  readonly asClosed: boolean
  readonly divergences: readonly Divergence[]
}

/** @throws StorageError `UnsupportedFormat` when another release made the store; `ReadOnly` while parts of it are replaced; `JournalFailed`, `BlobFailed`. */
export async function inspectFiles(fs: FileSystem, directory: string): Promise<FileFindings> {
  const divergences: Divergence[] = []
  const format = await inspectFormat(fs, storePaths(directory).format, divergences)
  const layout = layoutOf(format?.layout ?? (await detectLayout(fs, directory)))
  await inspectDirectories(fs, directory, layout, divergences)
  await inspectBlobNames(fs, directory, divergences)
  const asClosed = await inspectSeal(fs, storePaths(directory, layout.journal), divergences)
  return { divergences, layout, asClosed, ...(format && { storeId: format.storeId }) }
}

/** The layout that FORMAT names, or a guess from the files if FORMAT cannot be read. */
export async function layoutIn(fs: FileSystem, directory: string): Promise<Layout> {
  const format = await readFormat(fs, storePaths(directory).format).catch((error: unknown) => {
    if (isStorageError(error, 'UnsupportedFormat')) return undefined
    throw error
  })
  return layoutOf(format?.layout ?? (await detectLayout(fs, directory)))
}

async function inspectFormat(fs: FileSystem, path: string, found: Divergence[]): Promise<StoreFormat | undefined> {
  try {
    const format = await readFormat(fs, path)
    if (format !== undefined) {
      assertSettled(format)
      return format
    }
    found.push({ kind: 'FormatMissing', message: 'The FORMAT file is missing.', key: 'FORMAT' })
  } catch (error) {
    if (!isStorageError(error, 'UnsupportedFormat') || error.details['kind'] !== 'damaged') throw error
    found.push({ kind: 'FormatDamaged', message: error.message, key: 'FORMAT' })
  }
  return undefined
}

async function inspectDirectories(
  fs: FileSystem,
  directory: string,
  { blobs }: Layout,
  found: Divergence[],
): Promise<void> {
  const needed = ['events', 'blobs', 'tmp', ...(blobs === 'files' ? [] : ['segments'])]
  const names = new Set(await namesIn(fs, directory))
  for (const name of needed) if (!names.has(name)) found.push(missingDirectory(name))
  const temporary = [...names].filter((name) => ['FORMAT', 'witness', 'time', 'seal'].map(temporaryOf).includes(name))
  const unfinished = (await namesIn(fs, `${directory}/tmp`)).map((name) => `tmp/${name}`)
  for (const key of [...temporary, ...unfinished]) {
    found.push({ kind: 'Leftover', message: 'What an interrupted write left; the next opening removes it.', key })
  }
}

async function inspectBlobNames(fs: FileSystem, directory: string, found: Divergence[]): Promise<void> {
  for (const shard of (await namesIn(fs, `${directory}/blobs`)).sort()) {
    if (!isShardName(shard)) {
      if (shard !== 'lost+found') found.push(unexpected(`blobs/${shard}`))
      continue
    }
    for (const name of await namesIn(fs, `${directory}/blobs/${shard}`)) {
      if (!isBlobId(name) || shardName(name) !== shard) found.push(unexpected(`blobs/${shard}/${name}`))
    }
  }
}

/** Whether the store was closed and the files of its log have not changed since. */
async function inspectSeal(fs: FileSystem, paths: StorePaths, found: Divergence[]): Promise<boolean> {
  let seal: JournalSeal | undefined
  try {
    seal = await readSeal(fs, paths)
  } catch (error) {
    if (!isStorageError(error, 'LogCorrupt')) throw error
    found.push({ kind: 'SealDamaged', message: error.message, key: 'seal' })
  }
  const damage = await damageSince(fs, paths, seal)
  for (const { name, message } of damage) {
    const key = join(relative(dirname(paths.seal), paths.database), name)
    found.push({ kind: 'FileChanged', message: `A file of the log is not as it was left: ${message}.`, key })
  }
  return seal?.closed === true && damage.length === 0
}

const missingDirectory = (key: string): Divergence => ({
  kind: 'DirectoryMissing',
  message: 'A directory of the store is missing.',
  key,
})

const unexpected = (key: string): Divergence => ({
  kind: 'FileUnexpected',
  message: 'The store did not make this.',
  key,
})
