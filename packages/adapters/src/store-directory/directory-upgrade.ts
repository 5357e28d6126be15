/**
 * The upgrade of a directory to the current format. A new log is written in `migrating/` beside the old one, which only
 * its complete successor replaces. FORMAT in `migrating/` says whose log it is, so that an interrupted upgrade
 * continues, and what another change of the store left there is removed.
 */
import { join } from 'node:path'
import { isStorageError, type Journal, StorageError, type Witness } from '@varve/core'
import { namesIn } from '../blobs/readable-blobs.ts'
import type { DiskReserve } from '../files/disk-reserve.ts'
import { createDirectories, ensureDirectory, syncDirectory } from '../files/durable-files.ts'
import { onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { type JournalSetting, journals } from '../layouts/journals.ts'
import { layoutOf } from '../layouts/layout.ts'
import { directoryJournal } from './directory-journal.ts'
import { fileWitness } from './file-witness.ts'
import { type DirectoryGuard, guardedRecord } from './lock/directory-guard.ts'
import { formatVersion, type FormatVersion, readFormat, type StoreFormat, writeFormat } from './store-format.ts'
import { storePaths } from './store-paths.ts'
import { migrationDirectory } from './switch-layout.ts'
import { rm } from '../files/patient-files.ts'

/** The upgrade of a store of an older format. The directory stays locked until the upgraded store is closed. */
export interface DirectoryUpgrade<D> {
  /** The versions of the format before and after it. */
  readonly from: FormatVersion
  readonly to: FormatVersion
  /**
   * Opens the log of an interrupted upgrade of this store, or a new one.
   * @throws StorageError `NoSpace` when the disk has no room for a second log; `JournalFailed`
   */
  open(): Promise<UpgradeTarget>
  /** Removes what was written. The target must be closed. */
  discard(): Promise<void>
  /**
   * Replaces the old log with the new one, which must be complete and closed, and opens the store again. The first
   * opening is closed by this. If it fails half way, the next opening of the store continues it.
   */
  finish(): Promise<D>
}

/** The log that an upgrade writes, and its witness. */
export interface UpgradeTarget {
  readonly journal: Journal
  readonly witness: Witness
  /** Makes the log durable. */
  close(): Promise<void>
}

interface Place {
  readonly path: string
  readonly guard: DirectoryGuard
  readonly reserve: DiskReserve
}

export interface DirectoryUpgradeParts<D> {
  readonly place: Place
  /** That of the old store. */
  readonly format: StoreFormat
  readonly setting: JournalSetting
  /** Closes the old store, replaces its log and opens the store of the new format. */
  reopen(format: StoreFormat): Promise<D>
}

export function directoryUpgrade<D>({ place, format, setting, reopen }: DirectoryUpgradeParts<D>): DirectoryUpgrade<D> {
  const { fs = nodeFileSystem } = setting
  const upgraded: StoreFormat = { ...format, version: formatVersion }
  const made = migrationDirectory(place.path)
  const assertHeld = () => place.guard.check({ fresh: true })
  const discard = async (): Promise<void> => {
    await assertHeld()
    await onMedium('JournalFailed', 'Removing an upgrade', () => removeAll(made))
  }
  const target = () => openTarget(place, { ...upgraded, state: 'initialising' }, setting)
  return {
    from: format.version,
    to: formatVersion,
    async open() {
      await assertHeld()
      if (!(await isTargetOf(fs, made, upgraded))) await discard()
      await assertRoom(fs, place.path, format)
      try {
        return await target()
      } catch (error) {
        if (!isStorageError(error, 'LogCorrupt', 'AcknowledgedWritesLost')) throw error
        await discard()
        return target()
      }
    },
    discard,
    async finish() {
      await assertHeld()
      return reopen({ ...upgraded, state: 'ready' })
    },
  }
}

const removeAll = (path: string): Promise<void> => rm(path, { recursive: true, force: true })

async function isTargetOf(fs: FileSystem, made: string, { storeId, layout }: StoreFormat): Promise<boolean> {
  try {
    const format = await readFormat(fs, storePaths(made).format)
    const { version, state } = format ?? {}
    const isUpgrade = version === formatVersion && state === 'initialising'
    return isUpgrade && format?.storeId === storeId && format.layout === layout
  } catch (error) {
    if (isStorageError(error, 'UnsupportedFormat')) return false
    throw error
  }
}

async function openTarget(
  { path, guard, reserve }: Place,
  format: StoreFormat,
  setting: JournalSetting,
): Promise<UpgradeTarget> {
  const { fs = nodeFileSystem } = setting
  const { journal: kind } = layoutOf(format.layout)
  const paths = storePaths(migrationDirectory(path), kind)
  await onMedium('JournalFailed', 'Making the directory of the new log', async () => {
    await createDirectories(fs, migrationDirectory(path))
    await ensureDirectory(fs, paths.events)
  })
  await writeFormat(fs, paths.format, format)
  const opened = await journals[kind].open(paths.events, { ...setting, createIfMissing: true, sealed: false })
  const journal = directoryJournal(opened, { guard, reserve, onUnknownOutcome: () => undefined })
  return {
    journal,
    witness: guardedRecord(fileWitness(paths.witness, { fs }), guard),
    async close() {
      await journal.close()
      await onMedium('JournalFailed', 'Making the new log durable', () => syncDirectory(fs, paths.events))
    },
  }
}

/** The new log needs about as much room as the old one, and what was written of it counts. */
async function assertRoom(fs: FileSystem, path: string, { layout }: StoreFormat): Promise<void> {
  const { journal } = layoutOf(layout)
  const sizeAt = (directory: string) => sizeOfLog(fs, storePaths(directory, journal))
  await onMedium('JournalFailed', 'Looking for room for a second log', async () => {
    const needed = (await sizeAt(path)) - (await sizeAt(migrationDirectory(path)))
    const { bavail, bsize } = await fs.statfs(path)
    const free = bavail * bsize
    if (needed <= free) return
    const message = `Upgrading the store needs ${needed} bytes for a second log, and the disk has ${free}.`
    throw new StorageError('NoSpace', message, { details: { needed, free } })
  })
}

async function sizeOfLog(fs: FileSystem, { events, database }: { events: string; database: string }): Promise<number> {
  let bytes = 0
  for (const directory of new Set([events, database])) {
    const paths = (await namesIn(fs, directory)).map((name) => join(directory, name))
    for (const size of await fs.sizes(paths)) bytes += size
  }
  return bytes
}
