/**
 * Reads a store to which others may write: a result counts only if no file of the log changed meanwhile, by name,
 * inode, size and time.
 */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { StorageError } from '@varve/core'
import { errnoOf, onMedium } from '../files/errno.ts'
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
    const { files } = await stateOf(paths)
    const changed = files !== before.files
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
  readonly files: string
  /** A file changed within the last tick. */
  readonly recent: boolean
}

function stateOf({ format, seal, events, database, databaseFiles }: StorePaths): Promise<FilesState> {
  return onMedium('JournalFailed', 'Looking at the log', async () => {
    const isOfLog = (name: string) => databaseFiles.isData(name) || isSegmentName(name)
    const paths = [format, seal]
    for (const directory of new Set([events, database])) {
      const names = (await orAbsent(() => readdir(directory))) ?? []
      paths.push(...names.filter(isOfLog).map((name) => join(directory, name)))
    }
    let newestMs = 0
    const files: string[] = []
    for (const path of paths.sort()) {
      const found = await orAbsent(() => stat(path, { bigint: true }))
      files.push(`${path} ${found === undefined ? '-' : `${found.ino} ${found.size} ${found.mtimeNs}`}`)
      if (found !== undefined) newestMs = Math.max(newestMs, Number(found.mtimeMs))
    }
    return { files: files.join('\n'), recent: Math.abs(Date.now() - newestMs) < tickMs }
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
