/**
 * Copies the files of a log for inspection: opening a log always writes, and the original must not change. Tables that
 * the manifest names never change, nor do segments that have a successor. So these only get a second name, where the
 * file system supports links.
 */
import { randomBytes } from 'node:crypto'
import { join, relative } from 'node:path'
import { errnoOf, onMedium } from '../files/errno.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import type { DatabaseFiles } from '../journal-kit/database-files.ts'
import { isSegmentName } from '../segment-log/format/segment-names.ts'
import type { StorePaths } from './store-paths.ts'
import { chmod, copyFile, link, mkdir, readdir, rm, symlink } from '../files/patient-files.ts'

export interface JournalCopy {
  readonly path: string
  remove(): Promise<void>
}

/** So often files may go that were listed. */
const attemptsMax = 5

/** Links an unchanging file into the copy. If it fails, the file is copied. */
type Share = (source: string, target: string) => Promise<void>

/** Does not touch the file, which must stay where it is. */
export const symlinkTo: Share = (source, target) => symlink(source, target)

/**
 * Copies below `scratch`, which is created if missing. `LOCK` is not touched: reading it would drop its owner's lock.
 * @param share Makes a hard link by default, which changes the file's inode; `symlinkTo` does not change the file.
 */
export async function copyJournal(
  { events, database, databaseFiles }: Pick<StorePaths, 'events' | 'database' | 'databaseFiles'>,
  scratch: string,
  share: Share = link,
): Promise<JournalCopy> {
  const path = join(scratch, `look-${randomBytes(8).toString('hex')}`)
  const remove = () => rm(path, { recursive: true, force: true })
  const copyAll = async (): Promise<void> => {
    await copyFiles(events, path, databaseFiles, share)
    if (database === events) return
    await copyFiles(database, join(path, relative(events, database)), databaseFiles, share)
  }
  try {
    await onMedium('JournalFailed', 'Copying the log to look into it', () => unlessFilesGo(copyAll, remove))
  } catch (error) {
    await remove().catch(() => undefined)
    throw error
  }
  return { path, remove }
}

/** A connection of SQLite that was closed removes its write-ahead log when it is collected, which can be now. */
async function unlessFilesGo(copyAll: () => Promise<void>, remove: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await copyAll()
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' || attempt === attemptsMax) throw error
      await remove()
    }
  }
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
    if (changes) await copyWritable(source, target)
    else await share(source, target).catch(() => copyWritable(source, target))
  }
}

/** The files of the store may be read-only. */
async function copyWritable(source: string, target: string): Promise<void> {
  await copyFile(source, target)
  await chmod(target, 0o600)
}
