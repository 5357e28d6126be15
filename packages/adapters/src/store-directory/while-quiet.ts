/**
 * Reads a store to which others may write: a result counts only if no file of the log changed meanwhile, by name,
 * inode, size and time. A file that is only appended to may have grown: what was read is what a crash could have left.
 */
import { stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { StorageError } from '@varve/core'
import { errnoOf, onMedium } from '../files/errno.ts'
import { readdir } from '../files/patient-files.ts'
import { isSegmentName } from '../segment-log/format/segment-names.ts'
import type { StorePaths } from './store-paths.ts'

export interface Quiet {
  /** The number of attempts. @default 10 */
  readonly attempts?: number
  /** The pause between two attempts, in milliseconds. @default 150 */
  readonly pauseMs?: number
}

/** A file that changed within this time may change again and keep its time: clocks of file systems tick this slowly. */
const tickMs = 100

/**
 * Resolves with the result of `look` if the log did not change meanwhile. Any other result is passed to `undo`.
 * @throws StorageError `StoreLocked` (`details.kind` is `changing`) when the log changes again and again; what `look`
 * throws.
 */
export async function whileQuiet<T>(
  paths: StorePaths,
  look: () => Promise<T>,
  undo: (found: T) => Promise<void>,
  { attempts = 10, pauseMs = 150 }: Quiet = {},
): Promise<T> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    if (attempt > 1) await delay(pauseMs)
    const before = await stateOf(paths)
    if (before.recent) continue
    const [outcome] = await Promise.allSettled([look()])
    const changed = isOther((await stateOf(paths)).files, before.files)
    if (outcome.status === 'fulfilled') {
      if (!changed) return outcome.value
      await undo(outcome.value)
    } else if (!changed) throw outcome.reason
  }
  throw new StorageError('StoreLocked', 'The store changes while it is looked at: another process writes to it.', {
    details: { kind: 'changing' },
  })
}

interface FilesState {
  readonly files: ReadonlyMap<string, FileState>
  /** A file that may change anywhere changed within the last tick. */
  readonly recent: boolean
}

interface FileState {
  readonly ino: bigint
  readonly size: bigint
  readonly mtimeNs: bigint
  readonly appended: boolean
}

async function stateOf(paths: StorePaths): Promise<FilesState> {
  return onMedium('JournalFailed', 'Looking at the log', async () => {
    const files = new Map<string, FileState>()
    let newest = 0n
    for (const path of await filesOf(paths)) {
      const found = await orAbsent(() => stat(path, { bigint: true }))
      if (found === undefined) continue
      const { ino, size, mtimeNs } = found
      const appended = paths.databaseFiles.isAppended(relative(paths.database, path))
      files.set(path, { ino, size, mtimeNs, appended })
      if (!appended && mtimeNs > newest) newest = mtimeNs
    }
    return { files, recent: Math.abs(Date.now() - Number(newest / 1_000_000n)) < tickMs }
  })
}

async function filesOf({ format, seal, events, database, databaseFiles }: StorePaths): Promise<readonly string[]> {
  const files = [format, seal]
  for (const directory of new Set([events, database])) {
    const names = (await orAbsent(() => readdir(directory))) ?? []
    const ofLog = names.filter((name) => databaseFiles.isData(name) || isSegmentName(name))
    files.push(...ofLog.map((name) => join(directory, name)))
  }
  return files
}

function isOther(now: FilesState['files'], before: FilesState['files']): boolean {
  if (now.size !== before.size) return true
  return [...now].some(([path, file]) => {
    const then = before.get(path)
    if (then === undefined || then.ino !== file.ino) return true
    return file.appended ? file.size < then.size : file.size !== then.size || file.mtimeNs !== then.mtimeNs
  })
}

async function orAbsent<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}
