/**
 * A store's directory, opened in the one order that is safe: the lock before anything is read, the format before
 * anything is opened, LevelDB made only where nothing was ever answered.
 *
 * A new directory stays `initialising` until `markReady`, and every step up to there can be repeated: whatever a crash
 * leaves behind, the next open goes on from it.
 */
import { basename, resolve } from 'node:path'
import {
  type BlobStore,
  type Ids,
  type Journal,
  type Seq,
  StorageError,
  type TimeRecord,
  type Witness,
} from '@varve/core'
import { closeAll } from '../files/close-all.ts'
import { createDirectories, ensureDirectory, syncDirectory, temporaryOf } from '../files/durable-files.ts'
import { errnoOf, onMedium } from '../files/errno.ts'
import { type FileIdentity, type FileSystem, nodeFileSystem } from '../files/file-system.ts'
import { blobStores } from '../layouts/blob-stores.ts'
import { type JournalSetting, journals } from '../layouts/journals.ts'
import { assertLayout, defaultLayoutName, type Layout, type LayoutName, layoutOf } from '../layouts/layout.ts'
import { randomIds } from '../system/random-ids.ts'
import { guardedBlobs, guardedRecord } from './lock/directory-guard.ts'
import { type DiskReserve, type DiskReserveOptions, diskReserve } from '../files/disk-reserve.ts'
import { fileTimeRecord } from './file-time-record.ts'
import { fileWitness } from './file-witness.ts'
import { type DirectoryLocks, HeldDirectory } from './lock/held-directory.ts'
import { levelLockName } from './lock/level-lock.ts'
import { lockFileName } from './lock/lock-file.ts'
import { directoryJournal } from './directory-journal.ts'
import { journalKeeper } from './journal-keeper.ts'
import type { SealCheck } from './journal-seal.ts'
import { type StorePaths, storePaths } from './store-paths.ts'
import { readFormat, type StoreFormat, writeFormat } from './store-format.ts'
import { finishSwitch, switchLayout } from './switch-layout.ts'

/** Options of `openStoreDirectory`. */
export interface StoreDirectoryOptions {
  /** Make a store where there is none. @default true */
  readonly create?: boolean
  /** The layout of a new store; an existing store must have it. @default that of FORMAT, `level+files` for a new store */
  readonly layout?: LayoutName | undefined
  /** Sizes LevelDB works with. */
  readonly level?: JournalSetting['level']
  readonly reserve?: Pick<DiskReserveOptions, 'minBytes' | 'minShare' | 'minFiles'>
  /** Milliseconds from any start, never backwards: how old an earlier look at the disk is. @default performance.now */
  readonly now?: () => number
  /** Names a new store. @default random */
  readonly ids?: Ids
  /**
   * How LevelDB's files are held against what was noted when the store was closed: every byte, names and sizes, or not
   * at all. @default 'bytes'
   */
  readonly check?: SealCheck | 'none'
  /** All of the disk but what LevelDB touches. @default node:fs */
  readonly fs?: FileSystem
  /** @default LevelDB */
  readonly openLevel?: JournalSetting['openLevel']
  /** What keeps a directory to one owner. @default one on this machine */
  readonly lock?: DirectoryLocks
}

/** A store's directory that is open: its ports, and how to close them. */
export interface StoreDirectory {
  /** 32 hex digits, given when the store was made. */
  readonly storeId: string
  readonly layout: LayoutName
  readonly journal: Journal
  readonly blobs: BlobStore
  readonly witness: Witness
  readonly time: TimeRecord
  readonly reserve: DiskReserve
  /** LevelDB's files are as the last owner left them. Otherwise it died, or never marked the store as sound. */
  readonly sealed: boolean
  /**
   * Not sealed, but all that LevelDB does not change is as it was written, and holds every event before this one, or lacks the
   * one before it too. `undefined` when that is unknown.
   */
  readonly replayedFrom: Seq | undefined
  /** True until `markReady` of this open or an earlier one: nothing was ever answered from this store. */
  readonly created: boolean
  /** Call when the store can be used, before the first answer: from then on, what is missing is lost. Idempotent. */
  markReady(): Promise<void>
  /** Call when the log was checked and the views follow it: only then does closing note the state of the files. */
  markSound(): void
  /**
   * Stops writes of blobs, waits for the commit under way and lets the directory go, the lock last: all of it, whatever fails.
   * Idempotent.
   * @throws StorageError `NoSpace`, `JournalFailed`, `BlobFailed`: the first failure. What was acknowledged is in the store.
   */
  close(): Promise<void>
  /**
   * Closes it, with what was made for it in `migrationDirectory` in the place of what it had: to be whole, durable and
   * closed before. When this fails half way, opening the store goes on with it.
   */
  switchTo(layout: LayoutName): Promise<void>
}

/**
 * @throws StorageError
 * - `StoreLocked` when the directory has an owner; nothing was touched.
 * - `StoreNotFound` when there is no store and `create` is false (`details.kind` is `missing`), or when the directory
 *   holds something else (`foreign`), whatever `create` says; nothing was touched.
 * - `InvalidArgument` for a `layout` that there is not, or that is not the store's; nothing was touched.
 * - `UnsupportedFormat` when a newer release made the store or its FORMAT file is damaged; nothing was touched.
 * - `LogCorrupt` when LevelDB's files are missing or damaged, or not as they were left (`details.kind` is `files`,
 *   `details.file` the first of them); `BlobFailed` when directories for blobs are.
 * - `NoSpace`, `JournalFailed`, `BlobFailed` when the medium fails.
 */
export async function openStoreDirectory(
  directory: string,
  options: StoreDirectoryOptions = {},
): Promise<StoreDirectory> {
  const { fs = nodeFileSystem, create = true } = options
  const path = resolve(directory)
  const identity = await onMedium('JournalFailed', 'Opening the directory', () => findDirectory(fs, path, create))
  await assertStoreOrEmpty(path, options)
  const owned = await HeldDirectory.take(path, identity, options)
  const held = [() => owned.release()]
  try {
    return await openLocked(owned, options, held)
  } catch (error) {
    await releaseAll(held).catch(() => undefined)
    throw error
  }
}

async function findDirectory(fs: FileSystem, path: string, create: boolean): Promise<FileIdentity> {
  try {
    return await fs.stat(path)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
    if (!create) throw notFound('missing', 'There is no such directory.')
  }
  await createDirectories(fs, path)
  return fs.stat(path)
}

/** Everything after the lock. What is to be released, in reverse, is added to `held` as it is taken. */
async function openLocked(
  owned: HeldDirectory,
  options: StoreDirectoryOptions,
  held: (() => Promise<void>)[],
): Promise<StoreDirectory> {
  const { fs = nodeFileSystem, level, openLevel } = options
  const { path, guard } = owned
  const { format: formatPath } = storePaths(path)
  const found = (await readFormat(fs, formatPath)) ?? (await newFormat(formatPath, options))
  const format = found.state === 'switching' ? await finishSwitch(fs, path, found) : found
  assertLayout(format.layout, options.layout)
  const layout = layoutOf(format.layout)
  const paths = storePaths(path, layout.journal)
  const created = format.state === 'initialising'
  if (created) await makeDirectories(fs, path, layout)
  const reserve = diskReserve(path, { ...options.reserve, ...(options.now && { now: options.now }), fs })
  const seal = await journalKeeper(fs, paths, options.check)
  held.push(() => seal.close(() => owned.isHeld()))
  const setting = {
    fs,
    createIfMissing: created,
    sealed: seal.intact,
    ...(level && { level }),
    ...(openLevel && { openLevel }),
  }
  const journal = directoryJournal(await journals[layout.journal].open(paths.events, setting), {
    reserve,
    guard,
    onUnknownOutcome: () => seal.markUnsound(),
  })
  held.push(() => journal.close())
  const blobs = guardedBlobs(await blobStores[layout.blobs].open(path, { fs, reserve }), guard)
  held.push(() => blobs.close())
  let ready: Promise<void> | undefined = created ? undefined : Promise.resolve()
  let closing: Promise<void> | undefined
  return {
    storeId: format.storeId,
    layout: layout.name,
    journal,
    blobs,
    witness: guardedRecord(fileWitness(paths.witness, { fs }), guard),
    time: guardedRecord(fileTimeRecord(paths.time, { fs }), guard),
    reserve,
    created,
    sealed: seal.intact,
    replayedFrom: seal.replayedFrom,
    markReady() {
      ready ??= markReady(fs, paths, format)
      return ready
    },
    markSound: () => seal.markSound(),
    close() {
      closing ??= releaseAll(held)
      return closing
    },
    switchTo(name) {
      closing ??= switchParts(held, () => switchLayout(fs, path, { ...format, layout: name }))
      return closing
    },
  }
}

/** Looks before anything is written: a directory that holds anything else is left as it is. */
async function assertStoreOrEmpty(
  path: string,
  { fs = nodeFileSystem, create = true, layout = defaultLayoutName }: StoreDirectoryOptions,
): Promise<void> {
  const { format } = storePaths(path)
  const names = await onMedium('JournalFailed', 'Looking into the directory', () => fs.readdir(path))
  if (names.includes(basename(format))) return
  const own = new Set([basename(temporaryOf(format)), lockFileName, levelLockName, 'lost+found'])
  if (names.some((each) => !own.has(each))) throw notFound('foreign', 'The directory is not empty and holds no store.')
  if (!create) throw notFound('missing', 'There is no store in the directory.')
  await journals[layoutOf(layout).journal].assertUsable()
}

async function newFormat(formatPath: string, options: StoreDirectoryOptions): Promise<StoreFormat> {
  const { fs = nodeFileSystem, ids = randomIds, layout = defaultLayoutName } = options
  const { name } = layoutOf(layout)
  const format: StoreFormat = { storeId: ids.next(), state: 'initialising', layout: name }
  await writeFormat(fs, formatPath, format)
  return format
}

async function makeDirectories(fs: FileSystem, path: string, { journal, blobs }: Layout): Promise<void> {
  const { events } = storePaths(path, journal)
  await onMedium('JournalFailed', 'Making the directory of the log', () => ensureDirectory(fs, events))
  await blobStores[blobs].createDirectories(path, { fs })
}

/** The names LevelDB made are to be as durable as the word that they exist. */
async function markReady(fs: FileSystem, paths: StorePaths, format: StoreFormat): Promise<void> {
  await onMedium('JournalFailed', 'Making the log durable', () => syncDirectory(fs, paths.events))
  await writeFormat(fs, paths.format, { ...format, state: 'ready' })
}

/** What was taken first, the directory, is held until the exchange is done. */
async function switchParts(held: (() => Promise<void>)[], exchange: () => Promise<void>): Promise<void> {
  try {
    await releaseAll(held.splice(1))
    await exchange()
  } finally {
    await releaseAll(held)
  }
}

/** Releases all, the last taken first, and then reports the first failure. */
const releaseAll = (held: (() => Promise<void>)[]): Promise<void> =>
  onMedium('JournalFailed', 'Closing the store', () => closeAll(held.splice(0).reverse()))

const notFound = (kind: 'missing' | 'foreign', message: string): StorageError =>
  new StorageError('StoreNotFound', message, { details: { kind } })
