/** Measures how long syncs of the disk take. Whatever is measured behaves as before. */
import { isStorageError, type Journal, type SyncObservation } from '@varve/core'
import { codeOnMedium } from './errno.ts'
import type { FileSystem } from './file-system.ts'
import { patientAs } from './patience.ts'

/** What receives the measurements, and the clock for them. */
export interface SyncWatch {
  readonly onSync: (sync: SyncObservation) => void
  /** A monotonic clock in milliseconds, from any start. */
  readonly now: () => number
}

/** `now` is the system's monotonic clock by default. Without `onSync`, nothing is measured. */
export const syncWatchOf = ({
  onSync,
  now = () => performance.now(),
}: {
  readonly [K in keyof SyncWatch]?: SyncWatch[K] | undefined
}): SyncWatch | undefined => onSync && { onSync, now }

/** A file system that reports the syncs of its files and directories. Without a watch: `fs` itself. */
export function syncsObserved(fs: FileSystem, what: SyncObservation['what'], watch: SyncWatch | undefined): FileSystem {
  if (watch === undefined) return fs
  return {
    ...fs,
    open: patientAs(fs.open, async (...of) => {
      const file = await fs.open(...of)
      const [sync, datasync] = [file.sync.bind(file), file.datasync.bind(file)]
      return Object.assign(file, {
        sync: () => observed(what, watch, sync),
        datasync: () => observed(what, watch, datasync),
      })
    }),
  }
}

/** A journal that reports its commits, each of which its database syncs. Without a watch: `journal` itself. */
export function commitsObserved(journal: Journal, watch: SyncWatch | undefined): Journal {
  if (watch === undefined) return journal
  return { ...journal, commit: (commit) => observed('journal', watch, () => journal.commit(commit)) }
}

async function observed(
  what: SyncObservation['what'],
  { onSync, now }: SyncWatch,
  sync: () => Promise<void>,
): Promise<void> {
  const began = now()
  try {
    await sync()
  } catch (error) {
    // A commit that is refused for a conflict writes nothing, so nothing is synced.
    if (isStorageError(error, 'JournalConflict')) throw error
    const errorCode = codeOnMedium(what === 'blobs' ? 'BlobFailed' : 'JournalFailed', error)
    onSync({ what, durationMs: now() - began, errorCode })
    throw error
  }
  onSync({ what, durationMs: now() - began })
}
