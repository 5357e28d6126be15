/**
 * Inspects a store's directory without opening the store. Nothing in it changes except `scratch/`, which is no part of
 * the store, unless a repair must be finished. It works on stores that refuse to open.
 */
import { basename, join, resolve } from 'node:path'
import { type Divergence, isStorageError, type Journal, StorageError, type Witness } from '@varve/core'
import { namesIn, type ReadableBlobs } from '../blobs/readable-blobs.ts'
import { closeAll } from '../files/close-all.ts'
import { errnoOf, onMedium, onPath } from '../files/errno.ts'
import { nodeFileSystem as fs } from '../files/node-file-system.ts'
import { assertOwnLinks } from '../files/own-links.ts'
import { blobStores } from '../layouts/blob-stores.ts'
import { type JournalKeeping, journals } from '../layouts/journals.ts'
import type { LayoutName } from '../layouts/layout.ts'
import { copyJournal, type JournalCopy, symlinkTo } from './copy-journal.ts'
import { fileWitness } from './file-witness.ts'
import { HeldDirectory } from './lock/held-directory.ts'
import { inspectFiles, layoutIn } from './inspect-files.ts'
import { finishReplacement, replacementName } from './mend-directory.ts'
import { type StorePaths, storePaths } from './store-paths.ts'
import { whileQuiet } from './while-quiet.ts'

/** Options of an inspection. */
export interface InspectOptions {
  /** The directory for the copy of the log. @default `scratch` in the store */
  readonly scratch?: string
  /** If LevelDB cannot open the copy, rescue what is readable in it. The result must be checked. @default false */
  readonly repairCopy?: boolean
  /** First put a new log in place if a repair was interrupted after it made that log. @default false */
  readonly finishRepair?: boolean
  /** Change no file of the store: take no lock, and use a `scratch` outside of it. @default false */
  readonly readOnly?: boolean
}

/** The content of a directory, found without opening it as a store. */
export interface InspectedDirectory {
  readonly storeId?: string
  /** The layout that FORMAT names, or a guess from the files if FORMAT is missing. */
  readonly layout: LayoutName
  /** The files of the log are those that the seal recorded when the store was closed, so no event is missing. */
  readonly asClosed: boolean
  /** Damage that the files show, and why the log does not open, if it does not. */
  readonly divergences: readonly Divergence[]
  /** The journal of the copy; `undefined` when it cannot be opened. */
  readonly journal: Journal | undefined
  readonly blobs: ReadableBlobs
  readonly witness: Witness
  /** With `finishRepair`: an interrupted repair was finished. */
  readonly finishedRepair: boolean
  /** The directory for a repair to work on; absent with `readOnly`. */
  readonly held?: HeldDirectory
  /** Releases the directory and removes the copy. Idempotent. */
  close(): Promise<void>
}

/**
 * @throws StorageError `StoreLocked`, `StoreNotFound`, `UnsupportedFormat` (a newer release made it), `ReadOnly` (its parts are being replaced), `NoSpace`,
 * `JournalFailed`; `InvalidArgument` for a symbolic link as `assertOwnLinks`.
 */
export async function inspectStoreDirectory(
  directory: string,
  options: InspectOptions = {},
): Promise<InspectedDirectory> {
  const path = resolve(directory)
  return onPath(path, () => inspected(path, options))
}

async function inspected(path: string, options: InspectOptions): Promise<InspectedDirectory> {
  const identity = await identityOf(path)
  await assertOwnLinks(path)
  await assertStore(path)
  const held = options.readOnly === true ? undefined : await HeldDirectory.take(path, identity)
  let copy: JournalCopy | undefined
  try {
    const finishedRepair = options.finishRepair === true && held !== undefined && (await finishReplacement(held))
    const looked = await lookInto(path, options)
    const { storeId, layout, asClosed, findings, blobs, witness } = looked
    copy = looked.copy
    const journal = copy && (await openCopy(copy, journals[layout.journal], options, findings))
    let closing: Promise<void> | undefined
    const closeParts = () => closeAll([() => journal?.close(), () => copy?.remove(), () => held?.release()])
    return {
      ...(storeId !== undefined && { storeId }),
      layout: layout.name,
      asClosed,
      divergences: findings,
      journal,
      blobs,
      witness,
      finishedRepair,
      ...(held && { held }),
      close: () => (closing ??= onMedium('JournalFailed', 'Closing the store', closeParts)),
    }
  } catch (error) {
    await copy?.remove().catch(() => undefined)
    await held?.release()
    throw error
  }
}

/** The state of the files, and a copy of the log, at one moment. */
async function lookInto(path: string, options: InspectOptions) {
  const look = async () => {
    // Read before the log, because the witness is never ahead of the log.
    const witness = readOnlyWitness(storePaths(path))
    const { divergences, ...known } = await inspectFiles(fs, path)
    const copy = await copyOf(storePaths(path, known.layout.journal), options)
    try {
      const bytes = await blobStores[known.layout.blobs].inspect(path)
      return { ...known, findings: [...divergences, ...bytes.divergences], copy, blobs: bytes.blobs, witness }
    } catch (error) {
      await copy?.remove()
      throw error
    }
  }
  if (options.readOnly !== true) return look()
  const { journal } = await layoutIn(fs, path)
  return whileQuiet(storePaths(path, journal), look, async ({ copy }) => copy?.remove())
}

async function identityOf(path: string) {
  try {
    return await fs.stat(path)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT')
      return onMedium('JournalFailed', 'Opening the directory', () => Promise.reject(error))
    throw new StorageError('StoreNotFound', 'There is no such directory.', { details: { kind: 'missing' } })
  }
}

const exists = (path: string): Promise<boolean> =>
  fs.stat(path).then(
    () => true,
    () => false,
  )

/** Even a store that lost much must still differ from other directories. */
async function assertStore(path: string): Promise<void> {
  const names = new Set(await onMedium('JournalFailed', 'Looking into the directory', () => namesIn(fs, path)))
  const hasLog = names.has('events') || names.has(replacementName)
  if (names.has('FORMAT') || (hasLog && names.has('blobs'))) return
  throw new StorageError('StoreNotFound', 'The directory holds no store.', { details: { kind: 'foreign' } })
}

async function copyOf(
  paths: StorePaths,
  { scratch = paths.scratch, readOnly = false }: InspectOptions,
): Promise<JournalCopy | undefined> {
  // The missing file is already reported.
  if (!(await exists(paths.events))) return undefined
  return readOnly ? copyJournal(paths, scratch, symlinkTo) : copyJournal(paths, scratch)
}

async function openCopy(
  { path }: JournalCopy,
  keeping: JournalKeeping,
  { repairCopy = false }: InspectOptions,
  findings: Divergence[],
): Promise<Journal | undefined> {
  try {
    const changed = findings.flatMap(({ kind, key }) => (kind === 'FileChanged' && key ? [basename(key)] : []))
    if (await keeping.files.defuse(keeping.databaseOf(path), changed)) await keeping.rescue(path)
    return await keeping.open(path)
  } catch (error) {
    if (!isStorageError(error, 'LogCorrupt', 'JournalFailed', 'AcknowledgedWritesLost')) throw error
    // A rescue cannot restore a lost end of the log.
    const kind = error.code === 'AcknowledgedWritesLost' ? 'LogShort' : 'JournalUnreadable'
    findings.push({ kind, message: error.message, key: 'events' })
    if (!repairCopy) return undefined
  }
  try {
    await keeping.rescue(path)
    return await keeping.open(path)
  } catch (error) {
    if (!isStorageError(error, 'LogCorrupt', 'JournalFailed')) throw error
    findings.push({ kind: 'JournalUnreadable', message: error.message, key: join('events', 'repaired') })
    return undefined
  }
}

/** The witness with its current content. */
function readOnlyWitness({ witness }: StorePaths): Witness {
  const tip = fileWitness(witness).read()
  tip.catch(() => undefined)
  return {
    read: () => tip,
    write: () => Promise.reject(new StorageError('ReadOnly', 'This store is only looked at.')),
  }
}
