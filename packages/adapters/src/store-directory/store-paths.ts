/** The paths in a store's directory. For those below `blobs` and `tmp`, see `blobs/blob-paths.ts`. */
import { join } from 'node:path'
import type { DatabaseFiles } from '../journal-kit/database-files.ts'
import { journals } from '../layouts/journals.ts'
import type { JournalKind } from '../layouts/layout.ts'

export interface StorePaths {
  /** The identity of the store and its state. */
  readonly format: string
  /** The last known end of the log, kept outside of the log. */
  readonly witness: string
  /** The time that was observed while the store was open. */
  readonly time: string
  /** The seal: the state of the database's files at the last closing. */
  readonly seal: string
  /** Which files of the database were compared with the seal, and their stamps then. May be deleted. */
  readonly checked: string
  /** The log and its rows. */
  readonly events: string
  /** The part of them that belongs to a database. */
  readonly database: string
  readonly databaseFiles: DatabaseFiles
  /** Damaged files, kept aside with a note about each. */
  readonly quarantine: string
  /** Temporary files of an inspection. */
  readonly scratch: string
}

/** The location of the database depends on `journal`. */
export function storePaths(directory: string, journal: JournalKind = 'level'): StorePaths {
  const events = join(directory, 'events')
  return {
    format: join(directory, 'FORMAT'),
    witness: join(directory, 'witness'),
    time: join(directory, 'time'),
    seal: join(directory, 'seal'),
    checked: join(directory, 'checked'),
    events,
    database: journals[journal].databaseOf(events),
    databaseFiles: journals[journal].files,
    quarantine: join(directory, 'quarantine'),
    scratch: join(directory, 'scratch'),
  }
}
