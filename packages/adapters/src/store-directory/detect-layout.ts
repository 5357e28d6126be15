/** Guesses the layout of a store that lost its FORMAT from the files in it. */
import { namesIn } from '../blobs/readable-blobs.ts'
import type { FileSystem } from '../files/file-system.ts'
import { lmdbFile } from '../lmdb-journal/lmdb-files.ts'
import { isSegmentName } from '../segment-log/format/segment-names.ts'
import { storePaths } from './store-paths.ts'
import { sqliteFile } from '../sqlite-journal/sqlite-files.ts'
import type { JournalKind, LayoutName } from '../layouts/layout.ts'

/** Blobs in segments count as `tiered`: both kinds can read the blobs of the other. */
export async function detectLayout(fs: FileSystem, directory: string): Promise<LayoutName> {
  const log = await namesIn(fs, storePaths(directory).events)
  const names = await namesIn(fs, directory)
  return `${journalOf(log)}+${names.includes('segments') ? 'tiered' : 'files'}`
}

function journalOf(names: readonly string[]): JournalKind {
  if (names.includes(lmdbFile)) return 'lmdb'
  if (names.includes(sqliteFile)) return 'sqlite'
  return names.some(isSegmentName) ? 'segments' : 'level'
}
