/**
 * A copy of a log's files to look into: opening one always writes, and what is looked at must stay as it is. Tables in force
 * never change, nor do segments that have a successor, so a second name for each will do where the file system has such.
 */
import { randomBytes } from 'node:crypto'
import { copyFile, link, mkdir, readdir, rm, symlink } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { errnoOf, onMedium } from '../files/errno.ts'
import { nodeFileSystem } from '../files/file-system.ts'
import type { DatabaseFiles } from '../journal-kit/database-files.ts'
import { isSegmentName } from '../segment-log/format/segment-names.ts'
import type { StorePaths } from './store-paths.ts'

export interface JournalCopy {
  readonly path: string
  remove(): Promise<void>
}

/** Gives the copy a file that does not change. Where it fails, the file is copied. */
type Share = (source: string, target: string) => Promise<void>

/** Touches nothing of the file, which must stay where it is. */
export const symlinkTo: Share = (source, target) => symlink(source, target)

/**
 * Below `scratch`, which is made if need be. `LOCK` is not touched: reading it would drop its owner's lock.
 * @param share Makes a hard link by default, which changes the inode of the file; with `symlinkTo` nothing of it changes.
 */
export async function copyJournal(
  { events, database, databaseFiles }: Pick<StorePaths, 'events' | 'database' | 'databaseFiles'>,
  scratch: string,
  share: Share = link,
): Promise<JournalCopy> {
  const path = join(scratch, `look-${randomBytes(8).toString('hex')}`)
  const remove = () => rm(path, { recursive: true, force: true })
  try {
    await onMedium('JournalFailed', 'Copying the log to look into it', async () => {
      await copyFiles(events, path, databaseFiles, share)
      if (database === events) return
      await copyFiles(database, join(path, relative(events, database)), databaseFiles, share)
    })
  } catch (error) {
    await remove().catch(() => undefined)
    throw error
  }
  return { path, remove }
}

async function copyFiles(from: string, to: string, files: DatabaseFiles, share: Share): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  const entries = await readdir(from, { withFileTypes: true }).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  })
  const names = entries.filter((entry) => entry.isFile() && files.isData(entry.name)).map(({ name }) => name)
  const lastSegment = names.filter(isSegmentName).sort().at(-1)
  const lasting = await files.lasting(nodeFileSystem, from, names)
  for (const name of names) {
    const [source, target] = [join(from, name), join(to, name)]
    const changes = isSegmentName(name) ? name === lastSegment : !lasting.has(name)
    if (changes) await copyFile(source, target)
    else await share(source, target).catch(() => copyFile(source, target))
  }
}
