/**
 * The seal: name, size and CRC-32 of each file of LevelDB, recorded when the store is closed. LevelDB checks nothing of
 * what it reads here: a lost file, a flipped bit or a program that wrote into a file can remove rows, or restore old
 * ones, without any error. If the files match the seal, no row was lost.
 *
 * While the store is open the seal lists only the tables, which never change once they are written. After a crash the
 * tables that still exist are compared with it.
 */
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { type Seq, StorageError } from '@varve/core'
import { readSmallFile, replaceFile, syncDirectory } from '../files/durable-files.ts'
import { allowing, errnoOf, onMedium } from '../files/errno.ts'
import type { FileSystem, OpenFile } from '../files/file-system.ts'
import { inTurns } from '../files/in-turns.ts'
import type { DamagedFile, DatabaseFiles } from '../journal-kit/database-files.ts'
import type { StorePaths } from './store-paths.ts'
import { sealJson, unsealJson } from './sealed-json.ts'

export interface SealedFile {
  readonly name: string
  readonly size: number
  readonly crc: number
}

export interface JournalSeal {
  /** The owner closed the store; otherwise it is open, or its owner died. */
  readonly closed: boolean
  readonly files: readonly SealedFile[]
}

export interface SealComparison {
  /** Compare only names and sizes. @default false */
  readonly sizesOnly?: boolean
  /** Files whose bytes need not be read. @default none */
  readonly trusted?: ReadonlySet<string> | undefined
}

const sealBytesMax = 64 * 1024 * 1024
const readBytes = 1024 * 1024

/** @throws StorageError `LogCorrupt` (`details.kind` is `seal`) when the seal is damaged, `JournalFailed`. */
export async function readSeal(fs: FileSystem, paths: StorePaths): Promise<JournalSeal | undefined> {
  const text = await onMedium('JournalFailed', 'Reading the seal', () => readSmallFile(fs, paths.seal, sealBytesMax))
  if (text === undefined) return undefined
  const fields = unsealJson(text)
  const files = fields === undefined ? undefined : sealedFiles(fields['files'], paths.databaseFiles)
  if (files === undefined || typeof fields?.['closed'] !== 'boolean') {
    throw new StorageError('LogCorrupt', 'The seal of the log is damaged.', { details: { kind: 'seal' } })
  }
  return { closed: fields['closed'], files }
}

/**
 * Records the files as they are now and as they will be after a power cut: LevelDB syncs the content of its files, but
 * not every creation or removal of a name. The files in `lasting` are not read again.
 */
export async function sealFiles(fs: FileSystem, paths: StorePaths, lasting: readonly SealedFile[]): Promise<void> {
  await syncDirectory(fs, paths.database)
  const { isSealed } = paths.databaseFiles
  const byName = new Map(lasting.map((file) => [file.name, file]))
  const names = (await fs.readdir(paths.database)).filter(isSealed).sort()
  const files = await inTurns(
    names,
    async (name) => byName.get(name) ?? fingerprint(fs, `${paths.database}/${name}`, name),
  )
  await writeSeal(fs, paths, { closed: true, files })
}

/** The files that never change as long as they exist, whatever the database does. */
export async function lastingFiles(
  fs: FileSystem,
  { database, databaseFiles }: StorePaths,
  files: readonly SealedFile[],
): Promise<readonly SealedFile[]> {
  const names = files.map(({ name }) => name)
  const lasting = await onMedium('JournalFailed', 'Reading the log', () => databaseFiles.lasting(fs, database, names))
  return files.filter(({ name }) => lasting.has(name))
}

/** Call before the files change. Only unchanging files stay in the seal. On a full disk the seal is removed instead. */
export async function breakSeal(fs: FileSystem, paths: StorePaths, lasting: readonly SealedFile[]): Promise<void> {
  await onMedium('JournalFailed', 'Breaking the seal', async () => {
    try {
      await writeSeal(fs, paths, { closed: false, files: lasting })
    } catch {
      await allowing('ENOENT', () => fs.unlink(paths.seal))
      await syncDirectory(fs, dirname(paths.seal))
    }
  })
}

/**
 * The files that differ from the seal, and the tables without a seal that are damaged. A table that is missing in an
 * open store was merged into others.
 */
export async function damageSince(
  fs: FileSystem,
  paths: StorePaths,
  seal: JournalSeal | undefined,
  { sizesOnly = false, trusted = new Set() }: SealComparison = {},
): Promise<readonly DamagedFile[]> {
  const { closed, files } = seal ?? { closed: false, files: [] }
  const { damaged } = paths.databaseFiles
  const present = new Set(await namesIn(fs, paths.database))
  const sealed = new Set(files.map(({ name }) => name))
  const changes = closed ? [...otherNames(paths.databaseFiles, present, sealed)] : []
  const there = files.filter(({ name }) => present.has(name) && !trusted.has(name))
  const compare = sizesOnly ? changedSizes : changedBytes
  changes.push(...(await onMedium('JournalFailed', 'Reading the log', () => compare(fs, paths.database, there))))
  if (!closed && !sizesOnly) {
    const reading = () => damaged(fs, paths.database, present, sealed)
    changes.push(...(await onMedium('JournalFailed', 'Reading the log', reading)))
  }
  return changes.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function* otherNames(
  { isSealed }: DatabaseFiles,
  present: ReadonlySet<string>,
  sealed: ReadonlySet<string>,
): Iterable<DamagedFile> {
  for (const name of present) if (isSealed(name) && !sealed.has(name)) yield { name, message: 'it was not there' }
  for (const name of sealed) if (!present.has(name)) yield { name, message: 'it is gone' }
}

/** The error for what `damageSince` found, when changed files must not be opened. */
export const changedSinceClosing = ({ name: file, message }: DamagedFile): StorageError =>
  new StorageError('LogCorrupt', `The files of the log are not as they were left: ${file}: ${message}.`, {
    details: { kind: 'files', file },
  })

/** For a database with undamaged tables that was not closed: see `DatabaseFiles`. */
export async function replayedFrom(fs: FileSystem, { database, databaseFiles }: StorePaths): Promise<Seq | undefined> {
  const names = await namesIn(fs, database)
  return onMedium('JournalFailed', 'Reading the log', () => databaseFiles.firstReplayed(fs, database, names))
}

type Compare = (fs: FileSystem, directory: string, files: readonly SealedFile[]) => Promise<readonly DamagedFile[]>

const changedSizes: Compare = async (fs, directory, files) => {
  const sizes = await fs.sizes(files.map(({ name }) => `${directory}/${name}`))
  return files.flatMap(({ name, size }, i) => (sizes[i] === size ? [] : [otherSize(name, sizes[i] as number, size)]))
}

const changedBytes: Compare = async (fs, directory, files) => {
  const found = await inTurns(files, ({ name }) => fingerprint(fs, `${directory}/${name}`, name))
  return files.flatMap((file, i) => differenceOf(file, found[i] as SealedFile) ?? [])
}

/** What is wrong with a file of which this was found. */
export function differenceOf(
  { name, size, crc }: SealedFile,
  found: Pick<SealedFile, 'size' | 'crc'>,
): DamagedFile | undefined {
  if (found.size !== size) return otherSize(name, found.size, size)
  return found.crc === crc ? undefined : { name, message: 'its bytes are not those it had' }
}

const otherSize = (name: string, found: number, size: number): DamagedFile => ({
  name,
  message: `it has ${found} bytes instead of ${size}`,
})

async function fingerprint(fs: FileSystem, path: string, name: string): Promise<SealedFile> {
  const file = await fs.open(path, 'r')
  try {
    const { size } = await file.stat()
    return { name, ...(await sumOf(file, size)) }
  } finally {
    await file.close()
  }
}

/** Size and checksum of what can be read of a file, up to `size`. `pace` is called after each part, with its bytes. */
export async function sumOf(
  file: Pick<OpenFile, 'read'>,
  size: number,
  pace?: (bytes: number) => Promise<void>,
): Promise<Pick<SealedFile, 'size' | 'crc'>> {
  const buffer = new Uint8Array(Math.min(size, readBytes))
  let crc = 0
  let at = 0
  while (at < size) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, size - at), at)
    if (bytesRead === 0) break
    crc = crc32(buffer.subarray(0, bytesRead), crc)
    at += bytesRead
    await pace?.(bytesRead)
  }
  return { size: at, crc }
}

/** A missing directory has no names. Opening LevelDB reports that it is missing. */
async function namesIn(fs: FileSystem, directory: string): Promise<readonly string[]> {
  return onMedium('JournalFailed', 'Looking at the log', async () => {
    try {
      return await fs.readdir(directory)
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return []
      throw error
    }
  })
}

/** For damage that is found while the database is open: the files differ from this seal until they are repaired. */
export const restoreSeal = (fs: FileSystem, paths: StorePaths, files: readonly SealedFile[]): Promise<void> =>
  writeSeal(fs, paths, { closed: true, files })

const writeSeal = (fs: FileSystem, paths: StorePaths, { closed, files }: JournalSeal): Promise<void> =>
  replaceFile(fs, paths.seal, sealJson({ closed, files: files.map(({ name, size, crc }) => [name, size, crc]) }))

function sealedFiles(value: unknown, { isSealed }: DatabaseFiles): readonly SealedFile[] | undefined {
  if (!Array.isArray(value)) return undefined
  const files: SealedFile[] = []
  for (const entry of value as unknown[]) {
    const [name, size, crc] = Array.isArray(entry) ? (entry as unknown[]) : []
    if (typeof name !== 'string' || !isSealed(name) || typeof size !== 'number' || typeof crc !== 'number') {
      return undefined
    }
    files.push({ name, size, crc })
  }
  return files
}
