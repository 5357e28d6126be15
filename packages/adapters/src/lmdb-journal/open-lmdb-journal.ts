/** The journal `lmdb`: log, rows and small bytes in one LMDB file. */
import { join } from 'node:path'
import { isStorageError, type Journal, StorageError } from '@varve/core'
import { namesIn } from '../blobs/readable-blobs.ts'
import { createDirectories } from '../files/durable-files.ts'
import { errnoOf, onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { journalGate } from '../journal-kit/journal-gate.ts'
import { stateJournal } from '../row-states/state-journal.ts'
import { LmdbDatabase } from './lmdb-database.ts'
import { isDamage, type LmdbEnvironment, lmdbError, loadLmdb, type OpenLmdb } from './lmdb-environment.ts'
import { lmdbFile } from './lmdb-files.ts'
import { lmdbComplaint } from './lmdb-pages.ts'
import { openLmdbFile } from './open-lmdb-file.ts'
import { removeCopy } from './rewrite-lmdb.ts'

export interface LmdbJournalOptions {
  /** Make a log if there is none. Never for a store that has answered a request. @default false */
  readonly createIfMissing?: boolean
  /** The file is known to be as LMDB left it, so it is opened without a check. @default false */
  readonly sealed?: boolean
  /** Finds and reads the file. @default node:fs */
  readonly fs?: FileSystem
  /** @default the package lmdb */
  readonly openLmdb?: OpenLmdb
}

/**
 * The caller must own the directory by another lock first.
 * @throws StorageError `LogCorrupt` when the log is missing (`details.kind` is `missing`) or damaged (`damaged`);
 * `UnsupportedFormat` when lmdb is not installed (`package`); `NoSpace`, `JournalFailed` when the medium fails.
 */
export async function openLmdbJournal(directory: string, options: LmdbJournalOptions = {}): Promise<Journal> {
  const { fs = nodeFileSystem, openLmdb = await loadLmdb() } = options
  const path = join(directory, lmdbFile)
  await onMedium('JournalFailed', 'Opening the log', async () => {
    await assertWhole(directory, options)
    await removeCopy(fs, path)
  })
  let env: LmdbEnvironment | undefined
  try {
    env = await openLmdbFile({ fs, path, openLmdb })
    return await stateJournal(new LmdbDatabase(env, { fs, path, openLmdb }), journalGate())
  } catch (error) {
    await env?.close().catch(() => undefined)
    throw lmdbFailure(error)
  }
}

async function assertWhole(
  directory: string,
  { fs = nodeFileSystem, createIfMissing = false, sealed = false }: LmdbJournalOptions,
): Promise<void> {
  const path = join(directory, lmdbFile)
  if (createIfMissing) await createDirectories(fs, directory)
  if (!(await namesIn(fs, directory)).includes(lmdbFile)) {
    if (createIfMissing) return
    throw new StorageError('LogCorrupt', 'The log is missing.', { details: { kind: 'missing' } })
  }
  const complaint = sealed ? undefined : await lmdbComplaint(fs, path)
  if (complaint === undefined) return
  // A crash left an unfinished new file.
  if (createIfMissing && (await sizeOf(fs, path)) <= bytesWhenMade) return fs.unlink(path)
  throw new StorageError('LogCorrupt', `The log is damaged: ${complaint}.`, { details: { kind: 'damaged' } })
}

/** The size of a new file, without any data: two pages. */
const bytesWhenMade = 2 * 8192

async function sizeOf(fs: FileSystem, path: string): Promise<number> {
  const file = await fs.open(path, 'r')
  try {
    return (await file.stat()).size
  } finally {
    await file.close()
  }
}

/** The StorageError for a file that could not be opened. */
export function lmdbFailure(error: unknown): StorageError {
  const cause = lmdbError(isStorageError(error, 'JournalFailed') ? error.cause : error)
  if (isStorageError(cause)) return cause
  const message = cause instanceof Error ? cause.message : String(cause)
  const kind = errnoOf(cause)
  if (kind === 'ENOSPC') return new StorageError('NoSpace', 'There is no room to open the log.', { cause })
  if (isDamage(kind)) {
    return new StorageError('LogCorrupt', `The log is damaged: ${message}`, { details: { kind: 'damaged' }, cause })
  }
  return new StorageError('JournalFailed', `The log cannot be opened: ${message}`, { details: { kind }, cause })
}
