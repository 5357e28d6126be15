/** The files beneath a directory as objects, one after the other: memory does not depend on their number. */
import { type BigIntStats, constants, type Dirent } from 'node:fs'
import { type FileHandle, lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { checkKey, isStorageError, StorageError } from '@varve/core'
import { open, opendir } from '../files/patient-files.ts'
import type { ImportedObject } from './import-entry.ts'

/** Why a file is not imported. */
export type LeftOut =
  /** A symbolic link, which is not followed: it may lead out of the directory. */
  | 'link'
  /** A pipe, a socket or a device. */
  | 'special'
  /** A directory that is a store of Varve: its files change, and some are keys. */
  | 'store'
  /** Its path is no key: it is longer than 1024 bytes, or no UTF-8. */
  | 'name'
  /** It could not be opened, or is gone. */
  | 'unreadable'

/** A file that was not imported, by its path in the directory. */
export interface LeftOutFile {
  readonly path: string
  readonly reason: LeftOut
}

export interface FolderScan {
  readonly dir: string
  /** The beginning of every key. */
  readonly prefix: string
  /** `path`: relative to the directory. */
  onLeftOut(path: string, reason: LeftOut): void
}

const chunkBytes = 256 * 1024
/** A link that took the place of a file is not followed, and a pipe does not block. */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Each entry has its file open until it is closed. @throws StorageError `InvalidArgument` for no directory */
export async function* folderEntries(scan: FolderScan): AsyncGenerator<ImportedObject> {
  if (await isStore(scan.dir)) {
    throw new StorageError('InvalidArgument', `The directory ${scan.dir} is a store: export its buckets instead.`, {
      details: { ArgumentName: 'dir' },
    })
  }
  for await (const path of beneath(scan, '')) {
    const entry = await fileEntry(scan, path)
    if (entry !== undefined) yield entry
  }
}

/** The sizes of the files that are there now. */
export async function* folderSizes(dir: string): AsyncGenerator<number> {
  for await (const path of beneath({ dir, prefix: '', onLeftOut: () => undefined }, '')) {
    const found = await lstat(join(dir, path)).catch(() => undefined)
    if (found !== undefined) yield found.size
  }
}

const formatBytes = 4096

/** Looks for the file that makes a directory a store. */
async function isStore(path: string): Promise<boolean> {
  const file = await open(join(path, 'FORMAT'), flags).catch(() => undefined)
  if (file === undefined) return false
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(formatBytes), 0, formatBytes, 0)
    return /"storeId":\s*"[0-9a-f]{32}"/.test(buffer.toString('latin1', 0, bytesRead))
  } catch {
    // It is a directory, or no file that a store would have.
    return false
  } finally {
    await file.close()
  }
}

/** The paths of the files. */
async function* beneath(scan: FolderScan, path: string): AsyncGenerator<string> {
  for await (const entry of await opened(scan, path)) {
    const name = nameOf(entry.name)
    const shown = path + (name ?? Buffer.from(entry.name).toString())
    if (name === undefined) scan.onLeftOut(shown, 'name')
    else if (entry.isDirectory()) yield* unlessStore(scan, shown)
    else if (entry.isSymbolicLink()) scan.onLeftOut(shown, 'link')
    else if (entry.isFile()) yield shown
    else scan.onLeftOut(shown, 'special')
  }
}

/** Names are bytes on some systems, and a key is text. */
async function opened({ dir }: FolderScan, path: string): Promise<AsyncIterable<Dirent<Buffer>>> {
  try {
    return (await opendir(join(dir, path), { encoding: 'buffer' as BufferEncoding })) as unknown as AsyncIterable<
      Dirent<Buffer>
    >
  } catch (cause) {
    const errno = (cause as NodeJS.ErrnoException).code ?? 'unknown'
    throw new StorageError('InvalidArgument', `Cannot read the directory ${join(dir, path)}: ${errno}.`, {
      details: { ArgumentName: 'dir', errno },
      cause,
    })
  }
}

async function* unlessStore(scan: FolderScan, path: string): AsyncGenerator<string> {
  if (await isStore(join(scan.dir, path))) scan.onLeftOut(path, 'store')
  else yield* unlessUnreadable(scan, `${path}/`)
}

async function* unlessUnreadable(scan: FolderScan, path: string): AsyncGenerator<string> {
  const entries = beneath(scan, path)
  let isOpen = false
  try {
    for await (const entry of entries) {
      isOpen = true
      yield entry
    }
  } catch (error) {
    if (isOpen || !isStorageError(error, 'InvalidArgument')) throw error
    scan.onLeftOut(path, 'unreadable')
  }
}

function nameOf(bytes: Buffer | string): string | undefined {
  if (typeof bytes === 'string') return bytes
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

async function fileEntry(scan: FolderScan, path: string): Promise<ImportedObject | undefined> {
  const leaveOut = (reason: LeftOut): undefined => {
    scan.onLeftOut(path, reason)
  }
  const key = scan.prefix + path
  try {
    checkKey(key)
  } catch {
    return leaveOut('name')
  }
  const file = await open(join(scan.dir, path), flags).catch(() => undefined)
  if (file === undefined) return leaveOut('unreadable')
  let isKept = false
  try {
    const stats = await file.stat({ bigint: true })
    isKept = stats.isFile()
    if (!isKept) return leaveOut('special')
    return {
      kind: 'object',
      key,
      facts: {},
      size: Number(stats.size),
      isLasting: true,
      read: () => contentOf(file, path, stats),
      close: () => file.close(),
    }
  } finally {
    if (!isKept) await file.close()
  }
}

/** Each reading begins at the first byte. @throws StorageError `IncompleteBody` if the file is not as `stats` describe it */
async function* contentOf(file: FileHandle, path: string, stats: BigIntStats): AsyncGenerator<Uint8Array> {
  const size = Number(stats.size)
  let at = 0
  for (;;) {
    const buffer = new Uint8Array(Math.min(chunkBytes, size - at + 1))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
    at += bytesRead
    if (at > size || (bytesRead === 0 && (at < size || !isUnchanged(stats, await file.stat({ bigint: true }))))) {
      throw new StorageError('IncompleteBody', `The file ${path} changed while it was read.`, {
        details: { file: path },
      })
    }
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

/** The bytes that were read may be of two states though their number is the same. A program can set `mtime`, and not `ctime`. */
const isUnchanged = (before: BigIntStats, after: BigIntStats): boolean =>
  before.size === after.size && before.mtimeNs === after.mtimeNs && before.ctimeNs === after.ctimeNs
