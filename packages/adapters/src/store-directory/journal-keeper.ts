/** Manages the seal: checks it before LevelDB opens, breaks it while LevelDB is open, and rewrites it at the end. */
import type { Seq } from '@varve/core'
import type { FileSystem } from '../files/file-system.ts'
import {
  breakSeal,
  changedSinceClosing,
  damageSince,
  lastingFiles,
  readSeal,
  replayedFrom,
  type SealCheck,
  sealFiles,
} from './journal-seal.ts'
import type { StorePaths } from './store-paths.ts'

export interface JournalKeeper {
  /** Whether the files are as the last owner left them. */
  readonly intact: boolean
  /** If they are not, but all unchanging files are undamaged: the first event outside of these, if it is known. */
  readonly replayedFrom: Seq | undefined
  /** A commit or the closing had an unknown outcome: the files get no seal. */
  markUnsound(): void
  /** The log was checked and the views follow it. */
  markSound(): void
  /** Call after LevelDB was closed. `mayWrite` is called before anything is written. */
  close(mayWrite: () => Promise<boolean>): Promise<void>
}

/** @throws StorageError `LogCorrupt`: `details.kind` is `files` or `seal`. */
export async function journalKeeper(
  fs: FileSystem,
  paths: StorePaths,
  check: SealCheck | 'none' = 'bytes',
): Promise<JournalKeeper> {
  const seal = check === 'none' ? undefined : await readSeal(fs, paths)
  const [first] = check === 'none' ? [] : await damageSince(fs, paths, seal, check)
  if (first !== undefined) throw changedSinceClosing(first)
  const intact = seal?.closed === true
  // The seal of an open store lists only unchanging files.
  const lasting = intact ? await lastingFiles(fs, paths, seal.files) : (seal?.files ?? [])
  if (intact) await breakSeal(fs, paths, lasting)
  const replayed = intact || check !== 'bytes' ? undefined : await replayedFrom(fs, paths)
  let sound = false
  return {
    intact,
    replayedFrom: replayed,
    markUnsound() {
      sound = false
    },
    markSound() {
      sound = true
    },
    async close(mayWrite) {
      // A store without a seal is only treated as after a crash, so this failure is ignored.
      if (sound && (await mayWrite())) await sealFiles(fs, paths, lasting).catch(() => undefined)
    },
  }
}
