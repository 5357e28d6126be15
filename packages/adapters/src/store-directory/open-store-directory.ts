/**
 * Opens a store's directory in the only safe order: takes the lock before it reads anything, reads the format before it
 * opens anything, and creates LevelDB only in a store that has never answered a request.
 *
 * A new directory stays `initialising` until `markReady`. Every step before that can be repeated: after a crash, the next open continues.
 */
import { basename, resolve } from 'node:path'
import {
  type BlobStore,
  type Ids,
  type Journal,
  type Seq,
  StorageError,
  type SyncObservation,
  type TimeRecord,
  type Witness,
} from '@varve/core'
import { closeAll } from '../files/close-all.ts'
import { createDirectories, temporaryOf } from '../files/durable-files.ts'
import { errnoOf, onMedium, onPath } from '../files/errno.ts'
import { assertOwnLinks } from '../files/own-links.ts'
import type { FileIdentity, FileSystem } from '../files/file-system.ts'
import { machineFileSystem, nodeFileSystem } from '../files/node-file-system.ts'
import { patient } from '../files/patient-file-system.ts'
import { openFilesShares } from '../files/open-files.ts'
import { syncsObserved, syncWatchOf } from '../files/observed-syncs.ts'
import { blobStores } from '../layouts/blob-stores.ts'
import { type JournalSetting, journals } from '../layouts/journals.ts'
import { assertLayout, defaultLayoutName, type LayoutName, layoutOf } from '../layouts/layout.ts'
import { randomIds } from '../system/random-ids.ts'
import { makeDirectories, markReady, newFormat } from './new-store.ts'
import { guardedBlobs, guardedRecord } from './lock/directory-guard.ts'
import { type DiskReserve, type DiskReserveOptions, diskReserve } from '../files/disk-reserve.ts'
import { fileTimeRecord } from './file-time-record.ts'
import { fileWitness } from './file-witness.ts'
import { type DirectoryLocks, HeldDirectory } from './lock/held-directory.ts'
import { levelLockName } from './lock/level-lock.ts'
import { lockFileName } from './lock/lock-file.ts'
import { directoryJournal } from './directory-journal.ts'
import { journalKeeper, type SealCheck } from './journal-keeper.ts'
import type { UnreadFiles } from './unread-files.ts'
import { storePaths } from './store-paths.ts'
import { readFormat, type StoreFormat } from './store-format.ts'
import { finishSwitch, switchLayout } from './switch-layout.ts'

/** Options of `openStoreDirectory`. */
export interface StoreDirectoryOptions {
  /** Make a store if there is none. @default true */
  readonly create?: boolean
  /** The layout of a new store; an existing store must have it. @default that of FORMAT, `level+files` for a new one */
  readonly layout?: LayoutName | undefined
  /** Sizes for LevelDB. */
  readonly level?: JournalSetting['level']
  readonly reserve?: Pick<DiskReserveOptions, 'minBytes' | 'minShare' | 'minFiles'>
  /**
   * A monotonic clock in milliseconds, from any start, for the age of checks of the disk, the duration of syncs, and how
   * long calls are tried again that a busy file system refuses.
   * @default performance.now
   */
  readonly now?: () => number
  /** Waits so many milliseconds before a call to a busy file system is tried again. @default a timer */
  readonly pause?: (ms: number) => Promise<unknown>
  /** Called after each sync of the open store; must not throw. @default nothing is measured */
  readonly onSync?: ((sync: SyncObservation) => void) | undefined
  /** Generates the id of a new store. @default random */
  readonly ids?: Ids
  /**
   * How LevelDB's files are compared with the seal that was written when the store was closed: every byte; every byte
   * of the files that may have changed since they were read, see `unread`; names and sizes; or not at all.
   * @default 'bytes'
   */
  readonly check?: SealCheck | 'none'
  /** The directory of a store that is copied here: see `DiskBlobsOptions.linkFrom`. @default none */
  readonly linkBlobsFrom?: string | undefined
  /** The file system for all access to the disk except that of LevelDB. @default node:fs */
  readonly fs?: FileSystem
  /** @default LevelDB */
  readonly openLevel?: JournalSetting['openLevel']
  /** The locks that limit a directory to one owner. @default those of this machine */
  readonly lock?: DirectoryLocks
}

/** An open directory of a store: its ports, and how to close them. */
export interface StoreDirectory {
  /** 32 hex digits, generated when the store was created. */
  readonly storeId: string
  readonly layout: LayoutName
  readonly journal: Journal
  readonly blobs: BlobStore
  readonly witness: Witness
  readonly time: TimeRecord
  readonly reserve: DiskReserve
  /** LevelDB's files are as the last owner left them. Otherwise the owner died, or never called `markSound`. */
  readonly sealed: boolean
  /**
   * If not sealed: all unchanging files of LevelDB are undamaged, and contain every event before this one, or also lack
   * the event before it. `undefined` when that is unknown.
   */
  readonly replayedFrom: Seq | undefined
  /**
   * With `check: 'changed'`, the files that opening did not read, because they are unchanged since an earlier opening
   * read them. Check them while the store is open: until then, damage by the medium is unnoticed.
   */
  readonly unread: Pick<UnreadFiles, 'bytes' | 'check'> | undefined
  /** True until `markReady` of this open or an earlier one: the store has never answered a request. */
  readonly created: boolean
  /** Call when the store can be used, before the first answer. From then on, missing files are lost. Idempotent. */
  markReady(): Promise<void>
  /** Call when the log was checked and the views follow it. Only then does closing write the seal. */
  markSound(): void
  /**
   * Stops writes of blobs, waits for the running commit and releases the directory, the lock last. A failure does not
   * stop the other steps. Idempotent.
   * @throws StorageError `NoSpace`, `JournalFailed`, `BlobFailed`, `LogCorrupt` (a file in `unread` was damaged): the
   * first failure. Acknowledged commits are in the store.
   */
  close(): Promise<void>
  /**
   * Closes the store and replaces its parts with those in `migrationDirectory`, which must be complete, durable and
   * closed. If this fails half way, the next opening of the store continues it.
   */
  switchTo(layout: LayoutName): Promise<void>
}

/**
 * @throws StorageError
 * - `StoreLocked` when the directory has an owner; nothing was touched.
 * - `StoreNotFound` when there is no store and `create` is false (`details.kind` is `missing`), or when the directory
 *   holds something else (`foreign`), whatever `create` is; nothing was touched.
 * - `InvalidArgument` for a `layout` that does not exist, or that is not the store's, and for a symbolic link as `assertOwnLinks`; nothing
 *   was touched.
 * - `UnsupportedFormat` when a newer release made the store (`details.kind` is `newer`), or when its FORMAT file is
 *   damaged (`damaged`); nothing was touched.
 * - `LogCorrupt` when LevelDB's files are missing or damaged, or differ from the seal (`details.kind` is `files`,
 *   `details.file` the first of them); `BlobFailed` when directories for blobs are missing or damaged.
 * - `NoSpace`, `JournalFailed`, `BlobFailed` when the medium fails; as `onPath` when the system refuses the path.
 */
export async function openStoreDirectory(
  directory: string,
  given: StoreDirectoryOptions = {},
): Promise<StoreDirectory> {
  const options = { ...given, fs: patient(given.fs ?? machineFileSystem, { now: given.now, pause: given.pause }) }
  const { fs, create = true } = options
  const path = resolve(directory)
  return onPath(path, async () => {
    const identity = await onMedium('JournalFailed', 'Opening the directory', () => findDirectory(fs, path, create))
    await assertOwnLinks(path, fs)
    await assertStoreOrEmpty(path, options)
    const owned = await HeldDirectory.take(path, identity, options)
    const held = [() => owned.release()]
    try {
      return await openLocked(owned, options, held)
    } catch (error) {
      await releaseAll(held).catch(() => undefined)
      throw error
    }
  })
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

/** All steps after the lock. Each resource is added to `held` as it is taken, to be released in reverse order. */
async function openLocked(
  owned: HeldDirectory,
  options: StoreDirectoryOptions,
  held: (() => Promise<void>)[],
): Promise<StoreDirectory> {
  const { fs = nodeFileSystem } = options
  const { path, guard } = owned
  const format = await openFormat(fs, path, options)
  const layout = layoutOf(format.layout)
  const paths = storePaths(path, layout.journal)
  const created = format.state === 'initialising'
  if (created) await makeDirectories(fs, path, layout)
  const reserve = diskReserve(path, { ...options.reserve, ...(options.now && { now: options.now }), fs })
  const syncs = syncWatchOf(options)
  const seal = await journalKeeper(fs, paths, { check: options.check, mayWrite: () => owned.isHeld() })
  held.push(() => seal.close())
  const setting = settingOf(options, { createIfMissing: created, sealed: seal.intact, syncs })
  const journal = directoryJournal(await journals[layout.journal].open(paths.events, setting), {
    reserve,
    guard,
    onUnknownOutcome: () => seal.markUnsound(),
  })
  held.push(() => journal.close())
  const openMax = openFilesShares().blobs - (seal.unread?.count ?? 0)
  const blobOptions = { fs: syncsObserved(fs, 'blobs', syncs), reserve, openMax, linkFrom: options.linkBlobsFrom }
  const blobs = guardedBlobs(await blobStores[layout.blobs].open(path, blobOptions), guard)
  held.push(() => blobs.close())
  let ready: Promise<void> | undefined = created ? undefined : Promise.resolve()
  let closing: Promise<void> | undefined
  return {
    storeId: format.storeId,
    layout: layout.name,
    journal,
    blobs,
    witness: guardedRecord(fileWitness(paths.witness, { fs: syncsObserved(fs, 'witness', syncs) }), guard),
    time: guardedRecord(fileTimeRecord(paths.time, { fs: syncsObserved(fs, 'time', syncs) }), guard),
    reserve,
    created,
    sealed: seal.intact,
    replayedFrom: seal.replayedFrom,
    unread: seal.unread,
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
      closing ??= switchParts(held, () => switchHeld(fs, owned, { ...format, layout: name }))
      return closing
    },
  }
}

/** A store whose parts were being replaced gets all of them first. The upgrade of an older format belongs here, under the lock. */
async function openFormat(fs: FileSystem, path: string, options: StoreDirectoryOptions): Promise<StoreFormat> {
  const { format } = storePaths(path)
  const { ids = randomIds, layout = defaultLayoutName } = options
  const found = (await readFormat(fs, format)) ?? (await newFormat(fs, format, { ids, layout }))
  const whole = found.state === 'switching' ? await finishSwitch(fs, path, found) : found
  assertLayout(whole.layout, options.layout)
  return whole
}

function settingOf(
  { fs = nodeFileSystem, level, openLevel }: StoreDirectoryOptions,
  opening: Pick<JournalSetting, 'createIfMissing' | 'sealed' | 'syncs'>,
): JournalSetting {
  return { fs, ...opening, ...(level && { level }), ...(openLevel && { openLevel }) }
}

/** Checks before anything is written: a directory that holds anything else stays as it is. */
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

/** Another directory may be at the path by now: its parts must stay. */
async function switchHeld(fs: FileSystem, owned: HeldDirectory, format: StoreFormat): Promise<void> {
  await owned.assertHeld()
  await switchLayout(fs, owned.path, format)
}

/** Keeps the first resource, the directory, until the exchange is done. */
async function switchParts(held: (() => Promise<void>)[], exchange: () => Promise<void>): Promise<void> {
  try {
    await releaseAll(held.splice(1))
    await exchange()
  } finally {
    await releaseAll(held)
  }
}

/** Releases all, the last taken first, and then throws the first failure. */
const releaseAll = (held: (() => Promise<void>)[]): Promise<void> =>
  onMedium('JournalFailed', 'Closing the store', () => closeAll(held.splice(0).reverse()))

const notFound = (kind: 'missing' | 'foreign', message: string): StorageError =>
  new StorageError('StoreNotFound', message, { details: { kind } })
