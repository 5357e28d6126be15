/** The journal of each kind, in a directory. */
import { join } from 'node:path'
import type { Journal } from '@varve/core'
import { namesIn } from '../blobs/readable-blobs.ts'
import { renewFile } from '../files/durable-files.ts'
import { onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { commitsObserved, type SyncWatch, syncsObserved } from '../files/observed-syncs.ts'
import { levelDatabaseFiles } from '../level-files/level-database-files.ts'
import type { LevelDatabase } from '../level-journal/level-database.ts'
import { levelJournal } from '../level-journal/level-journal.ts'
import {
  type LevelDirectoryOptions,
  openLevelDirectory,
  repairLevelDirectory,
} from '../level-journal/open-level-directory.ts'
import { loadLmdb } from '../lmdb-journal/lmdb-environment.ts'
import { lmdbFiles } from '../lmdb-journal/lmdb-files.ts'
import { openLmdbJournal } from '../lmdb-journal/open-lmdb-journal.ts'
import { rescueLmdb } from '../lmdb-journal/rescue-lmdb.ts'
import { openSegmentLog } from '../segment-log/open-segment-log.ts'
import { viewsPath } from '../segment-log/format/segment-names.ts'
import { loadSqlite } from '../sqlite-journal/load-sqlite.ts'
import { openSqliteJournal } from '../sqlite-journal/open-sqlite-journal.ts'
import { rescueSqlite } from '../sqlite-journal/rescue-sqlite.ts'
import { sqliteFiles } from '../sqlite-journal/sqlite-files.ts'
import type { DatabaseFiles } from '../journal-kit/database-files.ts'
import type { JournalKind } from './layout.ts'
import { openedWithCodes } from './opened-with-codes.ts'
import { ownedJournal } from './owned-journal.ts'
import { rm } from '../files/patient-files.ts'

export interface JournalSetting {
  /** Make a log if there is none. @default false */
  readonly createIfMissing?: boolean
  /** Whether its files are known to be unchanged since it was closed. @default false */
  readonly sealed?: boolean
  readonly level?: Omit<LevelDirectoryOptions, 'createIfMissing'>
  /** The file system for all access to the disk except that of LevelDB. @default node:fs */
  readonly fs?: FileSystem
  /** @default LevelDB */
  readonly openLevel?: (path: string, options: LevelDirectoryOptions) => Promise<LevelDatabase>
  /** Measures the syncs of commits. @default none */
  readonly syncs?: SyncWatch | undefined
}

export interface JournalKeeping {
  /** The directory of the database's files, for a log in `directory`. */
  databaseOf(directory: string): string
  readonly files: DatabaseFiles
  /** @throws StorageError `UnsupportedFormat` (`details.kind` is `package`) when a required package is not installed. */
  assertUsable(): Promise<void>
  /**
   * Closing the journal also closes everything that was opened for it.
   * @throws StorageError `LogCorrupt`, `JournalFailed`, `NoSpace`; closing it throws the last two.
   */
  open(directory: string, setting?: JournalSetting): Promise<Journal>
  /** In a copy: gives up what cannot be read. The result must be checked. */
  rescue(directory: string): Promise<void>
}

const kinds: Readonly<Record<JournalKind, JournalKeeping>> = {
  level: {
    databaseOf: (directory) => directory,
    files: levelDatabaseFiles,
    assertUsable: async () => undefined,
    async open(directory, { openLevel = openLevelDirectory, createIfMissing = false, level, syncs } = {}) {
      const opening = () => openLevel(directory, { ...level, createIfMissing })
      const db = await onMedium('JournalFailed', 'Opening the log', opening)
      try {
        return commitsObserved(await levelJournal(db), syncs)
      } catch (error) {
        await db.close().catch(() => undefined)
        throw error
      }
    },
    rescue: (directory) => repairLevelDirectory(directory),
  },
  segments: {
    databaseOf: viewsPath,
    // This database holds no events.
    files: { ...levelDatabaseFiles, firstReplayed: async () => undefined },
    assertUsable: async () => undefined,
    open: (directory, { openLevel, syncs, fs = nodeFileSystem, ...setting } = {}) =>
      openSegmentLog(directory, {
        ...setting,
        fs: syncsObserved(fs, 'journal', syncs),
        ...(openLevel && { openViews: openLevel }),
      }),
    // The views are rebuilt from the log.
    rescue: (directory) => rm(viewsPath(directory), { recursive: true, force: true }),
  },
  lmdb: {
    databaseOf: (directory) => directory,
    files: lmdbFiles,
    assertUsable: async () => void (await loadLmdb()),
    open: (directory, { createIfMissing = false, sealed = false, fs = nodeFileSystem, syncs } = {}) =>
      ownedJournal(directory, async () => {
        if (!sealed) await renewFiles(fs, directory, lmdbFiles)
        return commitsObserved(await openLmdbJournal(directory, { createIfMissing, sealed, fs }), syncs)
      }),
    rescue: rescueLmdb,
  },
  sqlite: {
    databaseOf: (directory) => directory,
    files: sqliteFiles,
    assertUsable: async () => void (await loadSqlite()),
    open: (directory, { createIfMissing = false, sealed = false, fs = nodeFileSystem, syncs } = {}) =>
      ownedJournal(directory, async () => {
        if (!sealed) await renewFiles(fs, directory, sqliteFiles)
        return commitsObserved(await openSqliteJournal(directory, { createIfMissing, fs }), syncs)
      }),
    rescue: rescueSqlite,
  },
}

const withCodes = (keeping: JournalKeeping): JournalKeeping => ({
  ...keeping,
  open: (directory, setting) => openedWithCodes('JournalFailed', 'the log', () => keeping.open(directory, setting)),
})

export const journals: Readonly<Record<JournalKind, JournalKeeping>> = {
  level: withCodes(kinds.level),
  segments: withCodes(kinds.segments),
  lmdb: withCodes(kinds.lmdb),
  sqlite: withCodes(kinds.sqlite),
}

/** After a crash LevelDB writes what it recovers into new files; these databases continue in the file they have. */
const renewFiles = (fs: FileSystem, directory: string, { isData }: DatabaseFiles): Promise<void> =>
  onMedium('JournalFailed', 'Writing the log anew', async () => {
    for (const name of (await namesIn(fs, directory)).filter(isData)) await renewFile(fs, join(directory, name))
  })
