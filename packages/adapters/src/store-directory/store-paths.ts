/** What is where in a store's directory. Below `blobs` and `tmp`, see `blobs/blob-paths.ts`. */
import { join } from 'node:path'
import type { DatabaseFiles } from '../journal-kit/database-files.ts'
import { journals } from '../layouts/journals.ts'
import type { JournalKind } from '../layouts/layout.ts'

export interface StorePaths {
  /** The identity of the store and the state it is in. */
  readonly format: string
  /** The last known end of the log, kept outside of it. */
  readonly witness: string
  /** What was observed of time while the store was open. */
  readonly time: string
  /** How the files of the database were left. */
  readonly seal: string
  /** The log and its rows. */
  readonly events: string
  /** What of them is a database's. */
  readonly database: string
  readonly databaseFiles: DatabaseFiles
  /** What was damaged, kept aside with a note of what it was. */
  readonly quarantine: string
  /** Temporary files of an inspection. */
  readonly scratch: string
}

/** `journal` decides where the database is. */
export function storePaths(directory: string, journal: JournalKind = 'level'): StorePaths {
  const events = join(directory, 'events')
  return {
    format: join(directory, 'FORMAT'),
    witness: join(directory, 'witness'),
    time: join(directory, 'time'),
    seal: join(directory, 'seal'),
    events,
    database: journals[journal].databaseOf(events),
    databaseFiles: journals[journal].files,
    quarantine: join(directory, 'quarantine'),
    scratch: join(directory, 'scratch'),
  }
}
