/** The journal of a store's directory, with the checks of the directory before and after each commit. */
import { type Commit, isStorageError, type Journal } from '@varve/core'
import type { DiskReserve } from '../files/disk-reserve.ts'
import type { DirectoryGuard } from './lock/directory-guard.ts'

export interface DirectoryJournalParts {
  /** Counts commits too, because inline blobs also fill a disk. */
  readonly reserve: Pick<DiskReserve, 'spend'>
  readonly guard: Pick<DirectoryGuard, 'check'>
  /** Called when the outcome of a commit or of closing is unknown: the files may differ from memory. */
  onUnknownOutcome(): void
}

/**
 * A journal that commits only while the directory is in place, and that counts each commit against the reserve. The
 * directory's lock makes it exclusive.
 */
export function directoryJournal(journal: Journal, parts: DirectoryJournalParts): Journal {
  const { reserve, guard, onUnknownOutcome } = parts
  const { purge } = journal
  return {
    ...journal,
    exclusive: true,
    ...(purge && {
      async purge(keys: readonly Uint8Array[]) {
        try {
          await guard.check()
          return await purge(keys)
        } catch (error) {
          if (!isStorageError(error, 'JournalClosed')) onUnknownOutcome()
          throw error
        }
      },
    }),
    async commit(commit) {
      try {
        await guard.check()
        reserve.spend(sizeOf(commit))
        await journal.commit(commit)
      } catch (error) {
        const isRefusal = error instanceof TypeError || isStorageError(error, 'JournalConflict', 'JournalClosed')
        if (!isRefusal) onUnknownOutcome()
        throw error
      }
    },
    async close() {
      try {
        await journal.close()
      } catch (error) {
        onUnknownOutcome()
        throw error
      }
    },
  }
}

function sizeOf({ events, rows }: Commit): number {
  let size = 0
  for (const bytes of events) size += bytes.length
  for (const { key, value } of rows) size += key.length + (value?.length ?? 0)
  return size
}
