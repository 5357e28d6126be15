/** Steps of a repair that change files, for the owner of the directory. Each can be repeated after a crash. */
import { join } from 'node:path'
import type { Divergence, DivergenceKind, Journal, Tip } from '@varve/core'
import { isBlobId } from '../blobs/blob-paths.ts'
import { allowing, onMedium } from '../files/errno.ts'
import { ensureDirectories, syncDirectory } from '../files/durable-files.ts'
import { nodeFileSystem as fs } from '../files/node-file-system.ts'
import { blobStores } from '../layouts/blob-stores.ts'
import { journals } from '../layouts/journals.ts'
import { type LayoutName, layoutOf } from '../layouts/layout.ts'
import { randomIds } from '../system/random-ids.ts'
import { fileWitness } from './file-witness.ts'
import type { HeldDirectory } from './lock/held-directory.ts'
import { storePaths } from './store-paths.ts'
import type { Quarantine } from './quarantine.ts'
import { formatVersion, writeFormat } from './store-format.ts'
import { rm } from '../files/patient-files.ts'

/** A new log takes the place of the old one, which goes into quarantine. */
export async function replaceJournal(
  held: HeldDirectory,
  layout: LayoutName,
  aside: Quarantine,
  fill: (journal: Journal) => Promise<void>,
): Promise<void> {
  await held.assertHeld()
  const directory = held.path
  const { events, seal } = storePaths(directory)
  const made = `${events}.making`
  const ready = join(directory, replacementName)
  for (const path of [made, ready]) await rm(path, { recursive: true, force: true })
  const keeping = journals[layoutOf(layout).journal]
  const journal = await keeping.open(made, { createIfMissing: true })
  try {
    await fill(journal)
  } finally {
    await journal.close()
  }
  await onMedium('JournalFailed', 'Putting the new log in its place', async () => {
    await held.assertHeld()
    await syncDirectory(fs, made)
    // The log under this name is complete: from here on the next repair finishes an interrupted one.
    await fs.rename(made, ready)
    await syncDirectory(fs, directory)
    await allowing('ENOENT', () => fs.unlink(seal))
    await aside.take('events', { kind: 'FileChanged', message: 'The log that a repair replaced.' })
    await finishReplacement(held)
  })
}

/** The name of a complete new log that will replace the old one. */
export const replacementName = 'events.new'

/** True when a repair was interrupted between the removal of the old log and the placing of the new one. */
export async function finishReplacement(held: HeldDirectory): Promise<boolean> {
  const directory = held.path
  const { events } = storePaths(directory)
  return onMedium('JournalFailed', 'Putting the new log in its place', async () => {
    const names = await fs.readdir(directory)
    if (names.includes('events') || !names.includes(replacementName)) return false
    await fs.rename(join(directory, replacementName), events)
    await syncDirectory(fs, directory)
    return true
  })
}

/** Creates missing directories for blobs, and `tmp`. */
export async function mendDirectories(held: HeldDirectory, layout: LayoutName): Promise<void> {
  await held.assertHeld()
  const { directories } = blobStores[layoutOf(layout).blobs]
  await onMedium('BlobFailed', 'Making the directories for blobs', () => ensureDirectories(fs, held.path, directories))
}

/** Writes a FORMAT file for a store that lost it. Without a known id the store gets a new one, which is returned. */
export async function mendFormat(held: HeldDirectory, layout: LayoutName): Promise<string> {
  await held.assertHeld()
  const storeId = randomIds.next()
  await writeFormat(fs, storePaths(held.path).format, { storeId, version: formatVersion, state: 'ready', layout })
  return storeId
}

/** Rewrites the witness with the end of the log, after a repair. */
export async function mendWitness(held: HeldDirectory, tip: Tip): Promise<void> {
  await held.assertHeld()
  await fileWitness(storePaths(held.path).witness).write(tip)
}

/** Moves damaged segments aside, and makes damaged blobs files of their own, which can be moved aside by name. */
export async function mendBlobs(
  held: HeldDirectory,
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
  await held.assertHeld()
  await blobStores[layoutOf(layout).blobs].repair(held.path, {
    blobs,
    segments: [...new Set(segments)],
    takeAside: (path) => aside.take(path, found.find(({ key }) => key === path) as Divergence),
  })
}

/** Removes the seal of the log's files: the next opening checks more instead. */
export async function dropSeal(held: HeldDirectory): Promise<void> {
  await held.assertHeld()
  await allowing('ENOENT', () => fs.unlink(storePaths(held.path).seal))
}
