/** The seal over one life of the store: checked before LevelDB opens, broken while it is open, made again at the end. */
import { isStorageError, type Journal, type Seq } from '@varve/core'
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
  /** Listens for a commit of unknown outcome, and a closing that failed: what is left after one is nothing to vouch for. */
  watch(journal: Journal): Journal
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
    watch: (journal) => ({
      ...journal,
      async commit(commit) {
        try {
          await journal.commit(commit)
        } catch (error) {
          if (!isStorageError(error, 'JournalConflict', 'JournalClosed')) sound = false
          throw error
        }
      },
      async close() {
        try {
          await journal.close()
        } catch (error) {
          sound = false
          throw error
        }
      },
    }),
    markSound() {
      sound = true
    },
    async close(mayWrite) {
      // A store that cannot be sealed is one that looks crashed: no reason to fail.
      if (sound && (await mayWrite())) await sealFiles(fs, paths, lasting).catch(() => undefined)
    },
  }
}
