/** Steps of a repair that concern files, for whoever holds the directory's lock. Each can be repeated after a crash. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Divergence, DivergenceKind, Journal, Tip } from '@varve/core'
import { isBlobId } from '../blobs/blob-paths.ts'
import { allowing, onMedium } from '../files/errno.ts'
import { syncDirectory } from '../files/durable-files.ts'
import { nodeFileSystem as fs } from '../files/file-system.ts'
import { blobStores } from '../layouts/blob-stores.ts'
import { journals } from '../layouts/journals.ts'
import { type LayoutName, layoutOf } from '../layouts/layout.ts'
import { randomIds } from '../system/random-ids.ts'
import { fileWitness } from './file-witness.ts'
import { storePaths } from './store-paths.ts'
import type { Quarantine } from './quarantine.ts'
import { writeFormat } from './store-format.ts'

/** A new log takes the place of the old one, which goes into quarantine. */
export async function replaceJournal(
  directory: string,
  layout: LayoutName,
  aside: Quarantine,
  fill: (journal: Journal) => Promise<void>,
): Promise<void> {
  const { events, seal } = storePaths(directory)
  const made = `${events}.making`
  const ready = `${events}.new`
  for (const path of [made, ready]) await rm(path, { recursive: true, force: true })
  const keeping = journals[layoutOf(layout).journal]
  const journal = await keeping.open(made, { createIfMissing: true })
  try {
    await fill(journal)
  } finally {
    await journal.close()
  }
  await onMedium('JournalFailed', 'Putting the new log in its place', async () => {
    await syncDirectory(fs, made)
    // Under this name it is whole: from here on a repair that was cut off is finished by the next.
    await fs.rename(made, ready)
    await syncDirectory(fs, directory)
    await allowing('ENOENT', () => fs.unlink(seal))
    await aside.take('events', { kind: 'FileChanged', message: 'The log that a repair replaced.' })
    await finishReplacement(directory)
  })
}

/** True when a repair was cut off between taking the old log away and putting the new one in its place. */
export async function finishReplacement(directory: string): Promise<boolean> {
  const { events } = storePaths(directory)
  const names = await fs.readdir(directory)
  if (names.includes('events') || !names.includes('events.new')) return false
  await fs.rename(join(directory, 'events.new'), events)
  await syncDirectory(fs, directory)
  return true
}

/** Missing directories for blobs, and `tmp`. */
export const mendDirectories = (directory: string, layout: LayoutName): Promise<void> =>
  blobStores[layoutOf(layout).blobs].createDirectories(directory)

/** A FORMAT file for a store that lost it; without a known id the store gets a new one, which is returned. */
export async function mendFormat(directory: string, layout: LayoutName): Promise<string> {
  const storeId = randomIds.next()
  await writeFormat(fs, storePaths(directory).format, { storeId, state: 'ready', layout })
  return storeId
}

export const mendWitness = (directory: string, tip: Tip): Promise<void> =>
  fileWitness(storePaths(directory).witness).write(tip)

/** Puts what a verification found of blobs where it can be taken aside by its name, and damaged segments aside. */
export async function mendBlobs(
  directory: string,
  layout: LayoutName,
  aside: Quarantine,
  found: readonly Divergence[],
): Promise<void> {
  const keysOf = (kinds: readonly DivergenceKind[]) =>
    found.flatMap(({ kind, key }) => (kinds.includes(kind) ? (key ?? []) : []))
  const segments = keysOf(['SegmentDamaged']).flatMap(
    (key) => /^segments\/([0-9a-f]{32})\.segment$/.exec(key)?.[1] ?? [],
  )
  const blobs = keysOf(['BlobCorrupt', 'BlobUnreadable', 'BlobOrphan']).filter(isBlobId)
  if (keysOf(['SegmentDamaged']).length + blobs.length === 0) return
  await blobStores[layoutOf(layout).blobs].repair(directory, {
    blobs,
    segments: [...new Set(segments)],
    takeAside: (path) => aside.take(path, found.find(({ key }) => key === path) as Divergence),
  })
}

/** Forgets how the files of the log were left: the next opening looks deeper instead. */
export async function dropSeal(directory: string): Promise<void> {
  await allowing('ENOENT', () => fs.unlink(storePaths(directory).seal))
}
