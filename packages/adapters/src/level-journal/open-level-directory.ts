/** Opens LevelDB in a directory and translates its errors. */
import { join } from 'node:path'
import { isStorageError, StorageError } from '@varve/core'
import { errnoOf, onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { type Patience, patiently } from '../files/patience.ts'
import type { LevelDatabase } from './level-database.ts'

/** Sizes in bytes. An omitted option has LevelDB's own default, except `writeBufferSize`. */
export interface LevelDirectoryOptions {
  /** Make a database if there is none. Never for a store that has answered a request. @default false */
  readonly createIfMissing?: boolean
  /**
   * How many bytes are gathered in memory and in the log file before a table is written. A larger value is faster for
   * bursts of inline blobs, and slower to open after a crash (which reads the log file back). @default 16 MiB
   */
  readonly writeBufferSize?: number
  /** Cache of uncompressed blocks. @default 8 MiB */
  readonly cacheSize?: number
  /** Size of a block before compression. @default 4 KiB */
  readonly blockSize?: number
  /** Size at which a table file is closed. @default 2 MiB */
  readonly maxFileSize?: number
  /** Files held open. @default 1000 */
  readonly maxOpenFiles?: number
  /** Compress blocks with Snappy. @default true */
  readonly compression?: boolean
}

/**
 * The caller must own the directory by another lock first: LevelDB's own lock is lost as soon as the same process tries
 * to open the directory again.
 * @throws StorageError `StoreLocked` when another process has it open, `LogCorrupt` when the database is missing
 * (`details.kind` is `missing`) or damaged (`damaged`), `JournalFailed` when it cannot be opened otherwise.
 */
export function openLevelDirectory(
  path: string,
  options: LevelDirectoryOptions = {},
  patience: Patience = {},
): Promise<LevelDatabase> {
  return patiently(() => openOnce(path, options), { ...patience, codes, codeOf })()
}

/** LevelDB has no codes of the system: each failure of a file is of this kind. */
const codes: ReadonlySet<string> = new Set(['LEVEL_IO_ERROR'])
const codeOf = (error: unknown): string =>
  isStorageError(error, 'JournalFailed') ? String(error.details['kind'] ?? '') : ''

async function openOnce(path: string, options: LevelDirectoryOptions): Promise<LevelDatabase> {
  const { createIfMissing = false, writeBufferSize = 16 * 1024 * 1024, ...sizes } = options
  const given = Object.fromEntries(Object.entries(sizes).filter(([, value]) => value !== undefined))
  const { Level } = await import('level')
  const db = new Level<Uint8Array, Uint8Array>(path, {
    ...given,
    writeBufferSize,
    createIfMissing,
    keyEncoding: 'view',
    valueEncoding: 'view',
  })
  try {
    await db.open()
  } catch (error) {
    await db.close().catch(() => undefined)
    throw openFailure(error)
  }
  return db
}

/**
 * LevelDB's own rescue. It keeps what it can read and drops the rest without a report, so use it only on copies and
 * check the result.
 */
export async function repairLevelDirectory(path: string, fs: FileSystem = nodeFileSystem): Promise<void> {
  const { Level } = await import('level')
  await onMedium('JournalFailed', 'Reading the log', () => awaitFiles(fs, path))
  try {
    // The types include browsers, which do not have this function.
    await (Level as unknown as { repair(path: string): Promise<void> }).repair(path)
  } catch (error) {
    throw openFailure(error)
  }
}

/** LevelDB drops a file that it cannot open, also one that another program has open for a moment. */
async function awaitFiles(fs: FileSystem, path: string): Promise<void> {
  for (const name of await fs.readdir(path)) {
    if (isLevelFile.test(name)) await (await fs.open(join(path, name), 'r')).close()
  }
}

const isLevelFile = /^(\d+\.(ldb|sst|log)|MANIFEST-\d+|CURRENT)$/

function openFailure(error: unknown): StorageError {
  const cause = (error as Partial<Error> | undefined)?.cause ?? error
  const message = (cause as Partial<Error> | undefined)?.message ?? String(cause)
  const code = errnoOf(cause)
  if (code === 'LEVEL_LOCKED') return new StorageError('StoreLocked', 'Another process has the log open.', { cause })
  if (message.includes('create_if_missing is false')) {
    return new StorageError('LogCorrupt', 'The log is missing.', { details: { kind: 'missing' }, cause })
  }
  if (code === 'LEVEL_CORRUPTION') {
    return new StorageError('LogCorrupt', `The log is damaged: ${message}`, { details: { kind: 'damaged' }, cause })
  }
  return new StorageError('JournalFailed', `The log cannot be opened: ${message}`, { details: { kind: code }, cause })
}
