/**
 * A store's directory to look into without opening it: nothing in it is changed but `scratch/`, which belongs to
 * nobody, unless a repair is to be finished. It works on stores that refuse to open.
 */
import { basename, join, resolve } from 'node:path'
import { type Divergence, isStorageError, type Journal, StorageError, type Witness } from '@varve/core'
import { namesIn, type ReadableBlobs } from '../blobs/readable-blobs.ts'
import { closeAll } from '../files/close-all.ts'
import { errnoOf, onMedium } from '../files/errno.ts'
import { nodeFileSystem as fs } from '../files/file-system.ts'
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

/** What an inspection is to look at. */
export interface InspectOptions {
  /** Where the copy of the log is made. @default `scratch` in the store */
  readonly scratch?: string
  /** Let LevelDB pick up the pieces, in the copy, when it cannot open it. What comes of it must be checked. @default false */
  readonly repairCopy?: boolean
  /** First put a log in its place that a repair made before it was cut off. @default false */
  readonly finishRepair?: boolean
  /** Touch no file of the store: no lock is taken, and `scratch` lies elsewhere. @default false */
  readonly readOnly?: boolean
}

/** What a directory holds, found without opening it as a store. */
export interface InspectedDirectory {
  readonly storeId?: string
  /** The content of FORMAT, or if it is gone, what the directory looks like. */
  readonly layout: LayoutName
  /** Damage that the files show by themselves, and why the log does not open, if it does not. */
  readonly divergences: readonly Divergence[]
  /** Over a copy; `undefined` when it cannot be opened. */
  readonly journal: Journal | undefined
  readonly blobs: ReadableBlobs
  readonly witness: Witness
  /** With `finishRepair`: a repair was cut off, and is finished. */
  readonly finishedRepair: boolean
  /** What a repair works on; not there with `readOnly`. */
  readonly held?: HeldDirectory
  /** Lets go of the directory and removes the copy. Idempotent. */
  close(): Promise<void>
}

/**
 * @throws StorageError `StoreLocked`, `StoreNotFound`, `UnsupportedFormat` (a newer release made it), `NoSpace`,
 * `JournalFailed`.
 */
export async function inspectStoreDirectory(
  directory: string,
  options: InspectOptions = {},
): Promise<InspectedDirectory> {
  const path = resolve(directory)
  const identity = await identityOf(path)
  await assertStore(path)
  const held = options.readOnly === true ? undefined : await HeldDirectory.take(path, identity)
  let copy: JournalCopy | undefined
  try {
    const finishedRepair = options.finishRepair === true && held !== undefined && (await finishReplacement(held))
    const looked = await lookInto(path, options)
    const { storeId, layout, findings, blobs, witness } = looked
    copy = looked.copy
    const journal = copy && (await openCopy(copy, journals[layout.journal], options, findings))
    let closing: Promise<void> | undefined
    const closeParts = () => closeAll([() => journal?.close(), () => copy?.remove(), () => held?.release()])
    return {
      ...(storeId !== undefined && { storeId }),
      layout: layout.name,
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
    // Before the log: the witness never runs ahead of it.
    const witness = readOnlyWitness(storePaths(path))
    const { divergences, storeId, layout } = await inspectFiles(fs, path)
    const copy = await copyOf(storePaths(path, layout.journal), options)
    try {
      const bytes = await blobStores[layout.blobs].inspect(path)
      return { storeId, layout, findings: [...divergences, ...bytes.divergences], copy, blobs: bytes.blobs, witness }
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

/** A store may have lost much, but not everything that distinguishes it from other directories. */
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
  // The missing file has been reported.
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
    // That the end of the log is gone no rescue makes good.
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

/** As it is now. */
function readOnlyWitness({ witness }: StorePaths): Witness {
  const tip = fileWitness(witness).read()
  tip.catch(() => undefined)
  return {
    read: () => tip,
    write: () => Promise.reject(new StorageError('ReadOnly', 'This store is only looked at.')),
  }
}
