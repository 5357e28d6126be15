/** The seal over one life of the store: checked before LevelDB opens, broken while it is open, made again at the end. */
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
  /** The files are as the last owner left them. */
  readonly intact: boolean
  /** They are not, but all that does not change is sound; this is the first event that lies elsewhere, if that is known. */
  readonly replayedFrom: Seq | undefined
  /** A commit or the closing had an unknown outcome: the files get no seal. */
  markUnsound(): void
  /** The log was checked and the views follow it. */
  markSound(): void
  /** After LevelDB was closed. `mayWrite` is called before anything is written. */
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
  // The note of an open store lists no others.
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
      // A store that cannot be sealed is one that looks crashed: no reason to fail.
      if (sound && (await mayWrite())) await sealFiles(fs, paths, lasting).catch(() => undefined)
    },
  }
}
