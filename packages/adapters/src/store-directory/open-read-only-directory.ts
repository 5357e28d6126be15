/**
 * Opens a store's directory without touching a file in it: on read-only media, in a snapshot, or where the mode of
 * files forbids writing. No journal opens without writing, so a copy of its files is opened in a private directory
 * elsewhere, and recovery after a crash happens in the copy. Unchanging files are not copied: the copy has symbolic
 * links to them. Blobs are read in place.
 */
import { resolve } from 'node:path'
import { type BlobStore, type Journal, type Reserve, StorageError, type Tip, type Witness } from '@varve/core'
import { assertBlobId } from '../blobs/blob-paths.ts'
import type { ReadableBlobs } from '../blobs/readable-blobs.ts'
import { errnoOf, onMedium, onPath } from '../files/errno.ts'
import { nodeFileSystem as fs } from '../files/node-file-system.ts'
import { assertOwnLinks } from '../files/own-links.ts'
import { blobStores } from '../layouts/blob-stores.ts'
import { journals } from '../layouts/journals.ts'
import { assertLayout, type Layout, layoutOf } from '../layouts/layout.ts'
import { copyJournal, type JournalCopy, symlinkTo } from './copy-journal.ts'
import { fileTimeRecord } from './file-time-record.ts'
import { fileWitness } from './file-witness.ts'
import { changedSinceClosing, damageSince, type JournalSeal, readSeal, replayedFrom } from './journal-seal.ts'
import type { StoreDirectory, StoreDirectoryOptions } from './open-store-directory.ts'
import { assertSettled, readFormat, type StoreFormat } from './store-format.ts'
import { type StorePaths, storePaths } from './store-paths.ts'
import { type Quiet, whileQuiet } from './while-quiet.ts'
import { privateScratch, removeScratch } from './private-scratch.ts'

/** Options of `openReadOnlyDirectory`. */
export interface ReadOnlyDirectoryOptions extends Pick<StoreDirectoryOptions, 'layout' | 'check'>, Quiet {}

/** A store's directory that is open for reading, even while an owner uses it. */
export interface ReadOnlyDirectory
  extends Pick<
    StoreDirectory,
    'storeId' | 'layout' | 'journal' | 'blobs' | 'witness' | 'time' | 'sealed' | 'replayedFrom'
  > {
  readonly reserve: Reserve
  /** A private directory outside the store, removed when this is closed. */
  readonly scratch: string
  /** Idempotent. */
  close(): Promise<void>
}

/**
 * Takes no lock. While an owner uses the store, this is its state at one moment in which the owner did not write.
 * Reading what the owner later erases or merges fails with `BlobMissing`, `BlobFailed`, `JournalFailed` or
 * `LogCorrupt`.
 * @throws StorageError
 * - `StoreNotFound`, `UnsupportedFormat`, `InvalidArgument` (`layout`), `LogCorrupt`, `BlobFailed`, `JournalFailed` as
 *   `openStoreDirectory` does.
 * - `StoreLocked` (`details.kind` is `changing`) when an owner writes all the time.
 * - `ReadOnly` (`details.kind` is `switching`) when a change of layout was interrupted: only an owner can
 *   finish it.
 * - `NoSpace` when the copy does not fit into the directory for temporary files.
 */
export async function openReadOnlyDirectory(
  directory: string,
  options: ReadOnlyDirectoryOptions = {},
): Promise<ReadOnlyDirectory> {
  const path = resolve(directory)
  return onPath(path, () => opened(path, options))
}

async function opened(path: string, options: ReadOnlyDirectoryOptions): Promise<ReadOnlyDirectory> {
  await assertOwnLinks(path)
  const format = await formatOf(path)
  assertLayout(format.layout, options.layout)
  const layout = layoutOf(format.layout)
  await journals[layout.journal].assertUsable()
  const scratch = await privateScratch()
  try {
    return await openInScratch({ path, layout, scratch, options }, format)
  } catch (error) {
    await removeScratch(scratch)
    throw error
  }
}

interface Setting {
  readonly path: string
  readonly layout: Layout
  readonly scratch: string
  readonly options: ReadOnlyDirectoryOptions
}

async function openInScratch(setting: Setting, { storeId }: StoreFormat): Promise<ReadOnlyDirectory> {
  const { path, layout, scratch, options } = setting
  const paths = storePaths(path, layout.journal)
  const take = () => takeFiles(paths, scratch)
  const { tip, seal, copy } = await whileQuiet(paths, take, (taken) => taken.copy.remove(), options)
  const copied = { ...paths, events: copy.path, database: journals[layout.journal].databaseOf(copy.path) }
  const vouched = await assertUnchanged(copied, seal, options.check)
  const journal = await journals[layout.journal].open(copy.path, { sealed: vouched.sealed })
  try {
    // Inspected after the log was copied, so every blob that the log names was written before.
    const { blobs } = await blobStores[layout.blobs].inspect(path)
    let closing: Promise<void> | undefined
    return {
      storeId,
      layout: layout.name,
      // A private copy.
      journal: { ...journal, exclusive: true },
      blobs: readOnlyBlobs(blobs),
      witness: readOnlyWitness(tip),
      time: { read: () => fileTimeRecord(paths.time).read(), write: refuse },
      reserve: { exhausted: async () => false },
      ...vouched,
      scratch,
      close: () => (closing ??= onMedium('JournalFailed', 'Closing the store', () => closeBoth(journal, scratch))),
    }
  } catch (error) {
    await journal.close().catch(() => undefined)
    throw error
  }
}

async function closeBoth(journal: Journal, scratch: string): Promise<void> {
  try {
    await journal.close()
  } finally {
    await removeScratch(scratch)
  }
}

async function formatOf(path: string): Promise<StoreFormat> {
  const names = await onMedium('JournalFailed', 'Looking into the directory', () => namesOrNone(path))
  const format = names && (await readFormat(fs, storePaths(path).format))
  // A store whose creation did not finish has never answered a request.
  if (names === undefined || names.length === 0 || format?.state === 'initialising') {
    throw new StorageError(
      'StoreNotFound',
      'The directory is empty or missing, and a store that is open to be read alone is not created.',
      { details: { kind: 'missing' } },
    )
  }
  if (format === undefined) {
    throw new StorageError('StoreNotFound', 'The directory holds files that are not those of a store.', {
      details: { kind: 'foreign' },
    })
  }
  assertSettled(format)
  return format
}

async function namesOrNone(path: string): Promise<string[] | undefined> {
  try {
    return await fs.readdir(path)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

interface Taken {
  readonly tip: Tip | undefined
  readonly seal: JournalSeal | undefined
  readonly copy: JournalCopy
}

/** Copies the witness first, because it is never ahead of the log. */
async function takeFiles(paths: StorePaths, scratch: string): Promise<Taken> {
  const tip = await fileWitness(paths.witness).read()
  const seal = await readSeal(fs, paths)
  return { tip, seal, copy: await copyJournal(paths, scratch, symlinkTo) }
}

async function assertUnchanged(
  copied: StorePaths,
  seal: JournalSeal | undefined,
  check: StoreDirectoryOptions['check'] = 'bytes',
): Promise<Pick<StoreDirectory, 'sealed' | 'replayedFrom'>> {
  if (check === 'none') return { sealed: false, replayedFrom: undefined }
  // Nothing is trusted, because nothing would check it later: `changed` reads every byte, as `bytes` does.
  const sizesOnly = check === 'sizes'
  const [first] = await damageSince(fs, copied, seal, { sizesOnly })
  if (first !== undefined) throw changedSinceClosing(first)
  const sealed = seal?.closed === true
  return { sealed, replayedFrom: sealed || sizesOnly ? undefined : await replayedFrom(fs, copied) }
}

function readOnlyBlobs({ open, list }: ReadableBlobs): BlobStore {
  return {
    async open(id) {
      assertBlobId(id)
      return open(id)
    },
    list,
    write: refuse,
    delete: refuse,
    discardUnfinished: async () => 0,
    close: async () => undefined,
  }
}

const readOnlyWitness = (tip: Tip | undefined): Witness => ({ read: async () => tip, write: refuse })

const refuse = (): Promise<never> => Promise.reject(new StorageError('ReadOnly', 'The store is open to be read alone.'))
